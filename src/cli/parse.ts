// From a command's spec to a commander parser, and from arguments to what was asked.
import { Command, CommanderError, Option } from "commander";
import { Asked } from "./asked.ts";
import type { ArgumentSpec, CommandSpec, OptionSpec } from "./command.ts";
import { didYouMean, nearest } from "./nearest.ts";
import { EVERYWHERE } from "./table/everywhere.ts";
import { UsageError } from "./usage-error.ts";

const argumentText = ({ name, required, many }: ArgumentSpec): string => {
  const inner = many ? `${name}...` : name;
  return required ? `<${inner}>` : `[${inner}]`;
};

function optionOf(spec: OptionSpec, command: string): Option {
  const option = new Option(spec.flags, spec.about);
  if (spec.choices) option.choices([...spec.choices]);
  option.argParser((given: string, before: unknown) => {
    if (spec.choices && !spec.choices.includes(given))
      throw badChoice(option.long ?? spec.flags, given, spec.choices, command);
    const value =
      spec.atLeast === undefined ? given : wholeNumber(option.long ?? spec.flags, given, spec.atLeast, command);
    return spec.many ? [...(Array.isArray(before) ? before : []), value] : value;
  });
  return option;
}

function badChoice(what: string, given: string, choices: readonly string[], command: string): UsageError {
  const suggestions = nearest(given, choices);
  return new UsageError(`${what} is one of ${choices.join(", ")}, not "${given}".${didYouMean(suggestions)}`, {
    suggestions,
    command,
  });
}

function wholeNumber(option: string, given: string, atLeast: number, command: string): number {
  const value = Number(given);
  if (given.trim() !== "" && Number.isInteger(value) && value >= atLeast) return value;
  throw new UsageError(`${option} takes a whole number of at least ${atLeast}, not "${given}".`, { command });
}

/** The commander command of a spec; also what help is printed from. */
export function commandFor(spec: CommandSpec): Command {
  const command = new Command(`segno ${spec.name}`);
  command.summary(spec.summary).helpOption(false).exitOverride();
  command.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  for (const argument of spec.arguments ?? []) command.argument(argumentText(argument), argument.about);
  for (const option of spec.options ?? []) command.addOption(optionOf(option, spec.name));
  for (const option of EVERYWHERE) command.addOption(optionOf(option, spec.name).helpGroup("Everywhere:"));
  return command;
}

export function parse(
  spec: CommandSpec,
  args: readonly string[],
  surroundings: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): Asked {
  const command = commandFor(spec);
  const { operands, unknown } = parsed(command, spec, args);
  const asked = new Asked(operands, command.opts(), surroundings);
  if (asked.flag("help")) return asked;
  const stranger = unknown[0];
  if (stranger !== undefined) throw unknownOption(stranger, command, spec);
  checkArguments(spec, operands);
  return asked;
}

function parsed(command: Command, spec: CommandSpec, args: readonly string[]) {
  try {
    return command.parseOptions([...args]);
  } catch (error) {
    // The only complaint left to commander: an option at the end of the line without its value.
    if (error instanceof CommanderError)
      throw new UsageError(`${args.at(-1)} needs a value after it.`, { command: spec.name });
    throw error;
  }
}

function unknownOption(given: string, command: Command, spec: CommandSpec): UsageError {
  const name = given.split("=")[0] ?? given;
  const known = command.options.flatMap(({ long }) => (long ? [long] : []));
  const suggestions = name.startsWith("--") ? nearest(name, known) : [];
  return new UsageError(`"segno ${spec.name}" has no option ${name}.${didYouMean(suggestions)}`, {
    suggestions,
    command: spec.name,
  });
}

function checkArguments(spec: CommandSpec, operands: readonly string[]): void {
  const wanted = spec.arguments ?? [];
  const missing = wanted.find(({ required }, index) => required && operands[index] === undefined);
  if (missing) {
    throw new UsageError(`"segno ${spec.name}" needs ${argumentText(missing)}: ${missing.about}.`, {
      command: spec.name,
    });
  }
  const extra = operands[wanted.length];
  if (extra !== undefined && !wanted.at(-1)?.many) {
    const takes = wanted.length === 0 ? "takes no arguments" : `takes only ${wanted.map(argumentText).join(" ")}`;
    throw new UsageError(`"segno ${spec.name}" ${takes}; "${extra}" is one too many.`, { command: spec.name });
  }
  for (const [index, { name, choices }] of wanted.entries()) {
    const given = operands[index];
    if (choices && given !== undefined && !choices.includes(given))
      throw badChoice(`<${name}>`, given, choices, spec.name);
  }
}
