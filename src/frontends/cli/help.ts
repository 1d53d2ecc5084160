// Help on everything and on each command, with examples and the exit codes.
import { EXIT_CODES } from "../../base/results/result.ts";
import { type CommandSpec, EVERYWHERE, type OptionSpec } from "./command.ts";
import type { Colors, Output } from "./output.ts";
import { argumentText } from "./parse.ts";
import { COMMANDS, FIRST_COMMANDS, GROUPS } from "./table/index.ts";
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

interface Overview {
  /** What the user has to type to call the program. */
  readonly program?: string;
  /** The first word of commands that have a second (`gate`): only these are listed. */
  readonly family?: string | undefined;
  /** Lists every command, not only those of a first week. */
  readonly isWhole?: boolean;
}

export function overview(output: Output, { program = "segno", family, isWhole = false }: Overview = {}): string {
  const colors = output.outColors;
  const width = widthOf(output);
  const parts = [
    family
      ? `${colors.bold("Usage")}  ${program} ${family} <command>`
      : `${colors.bold("Segno")} runs workflows whose errors are typed, routed, checked before the run, and never lose work.\n\n${colors.bold("Usage")}  ${program} <command> [options]`,
  ];
  const isShown = ({ name }: CommandSpec) =>
    family ? name.startsWith(`${family} `) : isWhole || FIRST_COMMANDS.has(name);
  const first = Math.max(...COMMANDS.filter(isShown).map(({ name }) => name.length));
  for (const { heading, commands } of GROUPS) {
    const shown = commands.filter(isShown);
    if (shown.length === 0) continue;
    const rows = shown.map((spec) => [spec.name, spec.summary] as const);
    parts.push(`${colors.bold(heading)}\n${columns(rows, width, colors, first)}`);
  }
  if (!family) {
    parts.push(everywhere(width, colors));
    if (isWhole) parts.push(exitCodes(width, colors));
    parts.push(
      examples(
        [
          { line: "segno init my-flow", about: "a small workflow to start from" },
          { line: "segno run my-flow/hello.yaml", about: "run it" },
          { line: "segno resume", about: "go on after a failure" },
        ],
        { program, width, colors },
      ),
    );
  }
  const last = [
    ...(family || isWhole ? [] : [`${program} --help --all lists all ${COMMANDS.length} commands.`]),
    `${program} ${family ? `${family} ` : ""}<command> --help tells more about each.`,
  ];
  parts.push(last.map((line) => colors.dim(line)).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

function everywhere(width: number, colors: Colors): string {
  return `${colors.bold("Options of every command")}\n${columns(optionRows(EVERYWHERE), width, colors)}`;
}

const optionRows = (options: readonly OptionSpec[]): (readonly [string, string])[] =>
  options.map(({ flags, about }) => [flags.startsWith("--") ? `    ${flags}` : flags, about] as const);

export function helpOn(spec: CommandSpec, output: Output, program = "segno"): string {
  const colors = output.outColors;
  const width = widthOf(output);
  const ownOptions = optionRows(spec.options ?? []);
  const parts = [
    `${capital(spec.summary)}.${spec.about ? `\n${wrap(spec.about, width).join("\n")}` : ""}`,
    `${colors.bold("Usage")}  ${usage(spec, program)}`,
  ];
  const argumentRows = (spec.arguments ?? []).map(({ name, about }) => [name, about] as const);
  if (argumentRows.length > 0) parts.push(`${colors.bold("Arguments")}\n${columns(argumentRows, width, colors)}`);
  if (ownOptions.length > 0) parts.push(`${colors.bold("Options")}\n${columns(ownOptions, width, colors)}`);
  parts.push(everywhere(width, colors), examples(spec.examples, { program, width, colors }));
  if (spec.exitCodes) parts.push(exitCodes(width, colors));
  return `${parts.join("\n\n")}\n`;
}

const usage = (spec: CommandSpec, program: string): string =>
  [program, spec.name, ...(spec.arguments ?? []).map(argumentText), "[options]"].join(" ");

interface Showing {
  readonly program: string;
  readonly width: number;
  readonly colors: Colors;
}

function examples(list: CommandSpec["examples"], { program, width, colors }: Showing): string {
  const blocks = list.map(({ line, about }) => {
    const typed = `  ${line.replace(/^segno(?= )/, program)}`;
    const explained = about ? wrap(about, width - 6).map((text) => `      ${colors.dim(text)}`) : [];
    return [typed, ...explained].join("\n");
  });
  return `${colors.bold("Examples")}\n${blocks.join("\n")}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
