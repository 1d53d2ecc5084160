// docs/cli.md: every command with its options, examples and exit codes, from the command table.

import { EXIT_CODES } from "../../src/base/results/result.ts";
import { type CommandSpec, EVERYWHERE, type OptionSpec } from "../../src/frontends/cli/command.ts";
import { GROUPS } from "../../src/frontends/cli/table/index.ts";
import { anchor, capital, code, fence, generated, paragraphs, table } from "./markdown.ts";

const about = ({ about: text, choices, many }: OptionSpec): string =>
  [
    text,
    choices && !choices.every((choice) => text.includes(choice)) ? `(${choices.join(", ")})` : "",
    many ? "(may be repeated)" : "",
  ]
    .filter(Boolean)
    .join(" ");

const options = (list: readonly OptionSpec[]): string =>
  table(
    ["option", "what"],
    list.map((option) => [code(option.flags), about(option)]),
  );

const usage = ({ name, arguments: args = [], options: own = [] }: CommandSpec): string =>
  [
    "segno",
    name,
    ...args.map(({ name: arg, required, many }) => {
      const inner = `${arg}${many ? "..." : ""}`;
      return required ? `<${inner}>` : `[${inner}]`;
    }),
    own.length > 0 ? "[options]" : "",
  ]
    .filter(Boolean)
    .join(" ");

function command(spec: CommandSpec): string {
  const examples = spec.examples.map(({ line, about: text }) => (text ? `${line}    # ${text}` : line));
  return paragraphs(
    `### segno ${spec.name}`,
    `${capital(spec.summary)}.${spec.about ? ` ${spec.about}` : ""}`,
    fence("text", usage(spec)),
    spec.arguments &&
      table(
        ["argument", "what"],
        spec.arguments.map(({ name, about: text }) => [code(name), text]),
      ),
    spec.options && options(spec.options),
    fence("sh example", examples.join("\n")),
    spec.exitCodes && "Ends with one of the [exit codes](#exit-codes).",
  ).trimEnd();
}

export function cliPage(): string {
  return paragraphs(
    generated("src/frontends/cli/table and src/base/results/result.ts"),
    "# The command line",
    "Look up every command, its options and its exit codes. `segno --help` and `segno <command> --help` print the same. Words such as *run*, *gate* and *dead letter* are explained in [words.md](words.md).",
    "Name a run by its id, or by at least 6 characters of its beginning or end. Lists at a terminal and the [page](dashboard.md) show the last 6. If several runs fit, they are listed, and the exit code is 2. Progress and messages go to stderr; stdout is the result alone, so that it can be piped.",
    table(
      ["command", "what"],
      GROUPS.flatMap(({ commands }) =>
        commands.map(({ name, summary }) => [`[segno ${name}](#${anchor(`segno ${name}`)})`, summary]),
      ),
    ),
    "## Options of every command",
    options(EVERYWHERE),
    "## Exit codes",
    table(
      ["code", "when"],
      EXIT_CODES.map(({ code: number, when }) => [String(number), when]),
    ),
    ...GROUPS.flatMap(({ heading, commands }) => [`## ${heading}`, ...commands.map(command)]),
    "## Environment variables",
    table(
      ["variable", "what"],
      [
        ["`SEGNO_HOME`", "where runs are kept; `~/.segno` by default"],
        [
          "`SEGNO_PAGE_URL`",
          "the address of the page, for links to it ([gates.md](gates.md#who-may-answer-and-until-when))",
        ],
        ["`SEGNO_PROVIDER`", "the provider for agents, as `run --provider`"],
        ["`SEGNO_PRICES`", "a file of prices in place of the built-in list ([agents.md](agents.md))"],
        ["`SEGNO_ON`", "the Postgres of a fleet, as `--on` ([scaling.md](scaling.md))"],
        ["`SEGNO_SEAL_KEY`", "the key that seals what a fleet records"],
        ["`SEGNO_SERVE_TOKEN`", "the token of `serve` and `worker --port`; required when other machines are served"],
        ["`SEGNO_MCP_TOKEN`", "the token of `mcp --http`; a new one at each start by default ([mcp.md](mcp.md))"],
        ["`SEGNO_OTLP`", "where spans and metrics are sent ([telemetry.md](telemetry.md))"],
        ["`SEGNO_DURABILITY`", "`process` or `power`, as `run --durability`"],
        ["`SEGNO_DEBUG`", "`1` shows stack traces of Segno's own defects"],
        ["`NO_COLOR`", "no colours"],
      ],
    ),
  );
}
