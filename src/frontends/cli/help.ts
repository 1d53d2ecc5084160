// Help on everything and on each command, with examples and the exit codes.
import { EXIT_CODES } from "../../base/results/result.ts";
import { type CommandSpec, EVERYWHERE, type OptionSpec } from "./command.ts";
import type { Colors, Output } from "./output.ts";
import { argumentText } from "./parse.ts";
import { COMMANDS, GROUPS } from "./table/index.ts";
import { wrap } from "./text/width.ts";

const widthOf = (output: Output): number => Math.min(output.stdout.columns ?? 80, 100);

/** Two columns, the second wrapped under itself. */
function columns(rows: readonly (readonly [string, string])[], width: number, colors: Colors, atLeast = 0): string {
  const first = Math.max(atLeast, ...rows.map(([left]) => left.length));
  return rows
    .map(([left, right]) => {
      const lines = wrap(right, width - first - 4);
      return lines
        .map((line, index) =>
          `  ${index === 0 ? colors.cyan(left.padEnd(first)) : " ".repeat(first)}  ${line}`.trimEnd(),
        )
        .join("\n");
    })
    .join("\n");
}

export function exitCodes(width: number, colors: Colors): string {
  const rows = EXIT_CODES.map(({ code, when }) => [String(code), when] as const);
  return `${colors.bold("Exit codes")}\n${columns(rows, width, colors)}`;
}

/** All commands, or those of one family (`gate`). */
export function overview(output: Output, family?: string): string {
  const colors = output.outColors;
  const width = widthOf(output);
  const parts = [
    family
      ? `${colors.bold("Usage")}  segno ${family} <command>`
      : `${colors.bold("Segno")} runs workflows whose errors are typed, routed, checked before the run, and never lose work.\n\n${colors.bold("Usage")}  segno <command> [options]`,
  ];
  const isShown = ({ name }: CommandSpec) => !family || name.startsWith(`${family} `);
  const first = Math.max(...COMMANDS.filter(isShown).map(({ name }) => name.length));
  for (const { heading, commands } of GROUPS) {
    const shown = commands.filter(isShown);
    if (shown.length === 0) continue;
    const rows = shown.map((spec) => [spec.name, spec.summary] as const);
    parts.push(`${colors.bold(heading)}\n${columns(rows, width, colors, first)}`);
  }
  if (!family) {
    parts.push(everywhere(width, colors), exitCodes(width, colors));
    parts.push(
      examples(
        [
          { line: "segno init my-flow", about: "a small workflow to start from" },
          { line: "segno run my-flow/hello.yaml", about: "run it" },
          { line: "segno resume", about: "go on after a failure" },
        ],
        width,
        colors,
      ),
    );
  }
  parts.push(colors.dim(`segno ${family ? `${family} ` : ""}<command> --help tells more about each.`));
  return `${parts.join("\n\n")}\n`;
}

function everywhere(width: number, colors: Colors): string {
  return `${colors.bold("Options of every command")}\n${columns(optionRows(EVERYWHERE), width, colors)}`;
}

const optionRows = (options: readonly OptionSpec[]): (readonly [string, string])[] =>
  options.map(({ flags, about }) => [flags.startsWith("--") ? `    ${flags}` : flags, about] as const);

export function helpOn(spec: CommandSpec, output: Output): string {
  const colors = output.outColors;
  const width = widthOf(output);
  const ownOptions = optionRows(spec.options ?? []);
  const parts = [
    `${capital(spec.summary)}.${spec.about ? `\n${wrap(spec.about, width).join("\n")}` : ""}`,
    `${colors.bold("Usage")}  ${usage(spec)}`,
  ];
  const argumentRows = (spec.arguments ?? []).map(({ name, about }) => [name, about] as const);
  if (argumentRows.length > 0) parts.push(`${colors.bold("Arguments")}\n${columns(argumentRows, width, colors)}`);
  if (ownOptions.length > 0) parts.push(`${colors.bold("Options")}\n${columns(ownOptions, width, colors)}`);
  parts.push(everywhere(width, colors), examples(spec.examples, width, colors));
  if (spec.exitCodes) parts.push(exitCodes(width, colors));
  return `${parts.join("\n\n")}\n`;
}

const usage = (spec: CommandSpec): string =>
  ["segno", spec.name, ...(spec.arguments ?? []).map(argumentText), "[options]"].join(" ");

const examples = (list: CommandSpec["examples"], width: number, colors: Colors): string =>
  `${colors.bold("Examples")}\n${list
    .map(({ line, about }) =>
      about
        ? `  ${line}\n${wrap(about, width - 6)
            .map((text) => `      ${colors.dim(text)}`)
            .join("\n")}`
        : `  ${line}`,
    )
    .join("\n")}`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
