// From arguments to what was asked, by a command's spec. What does not fit is said in a sentence.
import { didYouMean, nearest } from "../errors/nearest.ts";
import { withoutAddressSecrets } from "../redact/address.ts";
import { Asked } from "./asked.ts";
import type { ArgumentSpec, CommandSpec } from "./command.ts";
import { type Flag, flagOf, type OptionsRead, readOptions } from "./read-options.ts";
import { EVERYWHERE } from "./table/everywhere.ts";
import { UsageError } from "./usage-error.ts";

/** `<file>`, `[dir]`, `[id...]`. */
export const argumentText = ({ name, required, many }: ArgumentSpec): string => {
  const inner = many ? `${name}...` : name;
  return required ? `<${inner}>` : `[${inner}]`;
};

export function parse(
  spec: CommandSpec,
  args: readonly string[],
  session: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): Asked {
  const flags = [...(spec.options ?? []), ...EVERYWHERE].map(flagOf);
  const { operands, options, unknown, unfinished } = readOptions(args, flags);
  if (unfinished !== undefined) throw new UsageError(`${unfinished} needs a value after it.`, { command: spec.name });
  const asked = new Asked(operands, valuesOf(flags, options, spec.name), session);
  if (asked.flag("help")) return asked;
  const [stranger] = unknown;
  if (stranger !== undefined) throw unknownOption(stranger, flags, spec);
  checkArguments(spec, operands);
  return asked;
}

/** The last value of an option, or all where it may come more than once; numbers as numbers. */
function valuesOf(flags: readonly Flag[], options: OptionsRead["options"], command: string): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { spec, name, long } of flags) {
    const given = options.get(name);
    if (given === undefined) continue;
    if (typeof given === "boolean") {
      values[name] = given;
      continue;
    }
    const read = given.map((text) => {
      if (spec.choices && !spec.choices.includes(text)) throw badChoice(long, text, spec.choices, command);
      return spec.atLeast === undefined ? text : wholeNumber(long, text, spec.atLeast, command);
    });
    values[name] = spec.many ? read : read.at(-1);
  }
  return values;
}

function badChoice(what: string, given: string, choices: readonly string[], command: string): UsageError {
  const suggestions = nearest(given, choices);
  return new UsageError(`${what} is one of ${choices.join(", ")}, not "${given}".${didYouMean(suggestions, '"')}`, {
    suggestions,
    command,
  });
}

function wholeNumber(option: string, given: string, atLeast: number, command: string): number {
  const value = Number(given);
  if (given.trim() !== "" && Number.isInteger(value) && value >= atLeast) return value;
  throw new UsageError(`${option} takes a whole number of at least ${atLeast}, not "${given}".`, { command });
}

function unknownOption(given: string, flags: readonly Flag[], spec: CommandSpec): UsageError {
  const name = given.split("=")[0] ?? given;
  const known = flags.map(({ long }) => long);
  const suggestions = name.startsWith("--") ? nearest(name, known) : [];
  return new UsageError(`"segno ${spec.name}" has no option ${name}.${didYouMean(suggestions, '"')}`, {
    suggestions,
    command: spec.name,
  });
}

/** Who forgets `--on` before a fleet's address reads what is meant, and not its password. */
function refuseAddress(spec: CommandSpec, operands: readonly string[]): void {
  const address = operands.find((operand) => /^postgres(ql)?:\/\//i.test(operand));
  if (address === undefined) return;
  throw new UsageError(
    `"${withoutAddressSecrets(address)}" is the address of a fleet, which "segno ${spec.name}" takes behind --on.`,
    { command: spec.name, suggestions: ["--on"] },
  );
}

function checkArguments(spec: CommandSpec, operands: readonly string[]): void {
  refuseAddress(spec, operands);
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
