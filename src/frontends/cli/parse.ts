// From a command line to its command, and by that command's spec to what was asked. What does not fit is said in a sentence.
import { didYouMean, nearest } from "../../base/errors/nearest.ts";
import { withoutAddressSecrets } from "../../base/redact/keys.ts";
import { Asked } from "./asked.ts";
import { type ArgumentSpec, type CommandSpec, EVERYWHERE, type OptionSpec } from "./command.ts";
import { SYNONYMS } from "./table/index.ts";
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
  const { operands, options, unknown, unfinished } = readOptions(withoutConductorOptions(args, flags), flags);
  if (unfinished !== undefined) throw withoutValue(unfinished);
  const asked = new Asked(operands, valuesOf(flags, options), session);
  if (asked.flag("help")) return asked;
  const [stranger] = unknown;
  if (stranger !== undefined) throw unknownOption(stranger, flags, `"segno ${spec.name}" has`);
  checkArguments(spec, operands);
  return asked;
}

/** Options of a line without a command. */
const ALONE: readonly OptionSpec[] = [
  { flags: "-V, --version", about: "show the version" },
  { flags: "--all", about: "with --help: all commands" },
];

/** What a line asks for that has no command. */
export function askedAlone(args: readonly string[]): "help" | "help on all" | "version" | undefined {
  const flags = [...EVERYWHERE, ...ALONE].map(flagOf);
  const { operands, options, unknown, unfinished } = readOptions(args, flags);
  if (unfinished !== undefined) throw withoutValue(unfinished);
  valuesOf(flags, options);
  const [stranger] = [...unknown, ...operands];
  if (stranger !== undefined) throw unknownOption(stranger, flags, "Without a command there is");
  if (options.has("help")) return options.has("all") ? "help on all" : "help";
  return options.has("version") ? "version" : undefined;
}

const withoutValue = (option: string): UsageError => new UsageError(`${option} needs a value after it.`);

/** The last value of an option, or all where it may come more than once; numbers as numbers. */
function valuesOf(flags: readonly Flag[], options: OptionsRead["options"]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { spec, name, long } of flags) {
    const given = options.get(name);
    if (given === undefined) continue;
    if (typeof given === "boolean") {
      values[name] = given;
      continue;
    }
    const read = given.map((text) => {
      if (spec.choices && !spec.choices.includes(text)) throw badChoice(long, text, spec.choices);
      return spec.atLeast === undefined ? text : wholeNumber(long, text, spec.atLeast, spec.atMost);
    });
    values[name] = spec.many ? read : read.at(-1);
  }
  return values;
}

function badChoice(what: string, given: string, choices: readonly string[]): UsageError {
  const suggestions = nearest(given, choices);
  const message = `${what} is one of ${choices.join(", ")}, not "${given}".${didYouMean(suggestions, '"')}`;
  return new UsageError(message, { suggestions });
}

function wholeNumber(option: string, given: string, atLeast: number, atMost?: number): number {
  const value = Number(given);
  const isWithin = Number.isInteger(value) && value >= atLeast && value <= (atMost ?? value);
  if (given.trim() !== "" && isWithin) return value;
  const which = atMost === undefined ? `of at least ${atLeast}` : `from ${atLeast} to ${atMost}`;
  throw new UsageError(`${option} takes a whole number ${which}, not "${given}".`);
}

/** Options of Conductor that have an equal. */
const CONDUCTOR_ALIASES: Readonly<Record<string, string>> = {
  "-p": "--provider",
  "-s": "--quiet",
  "--silent": "--quiet",
};

/** Replaces options of Conductor by ours: `-p x`, `--silent`, `--input.name=value`. What follows `--` stays as it is. */
function withoutConductorOptions(args: readonly string[], flags: readonly Flag[]): readonly string[] {
  const known = new Set(flags.flatMap(({ short, long }) => [long, short]));
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const words: string[] = [];
  for (let at = 0; at < end; at++) {
    const arg = args[at] ?? "";
    const ours = Object.hasOwn(CONDUCTOR_ALIASES, arg) && !known.has(arg) ? CONDUCTOR_ALIASES[arg] : undefined;
    const [, input, value] = /^--input\.([^=]+)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    if (ours !== undefined && known.has(ours)) words.push(ours);
    else if (input === undefined || !known.has("--input")) words.push(arg);
    else words.push("--input", `${input}=${value ?? args[++at] ?? ""}`);
  }
  return [...words, ...args.slice(end)];
}

/** Other options of Conductor, and what to write here instead. */
const CONDUCTOR_HINTS: Readonly<Record<string, string>> = {
  "-m": "Conductor's metadata of a run are inputs here: -i key=value. What the run is called says --name.",
  "--metadata": "Conductor's metadata of a run are inputs here: -i key=value. What the run is called says --name.",
  "-l": 'Every run is recorded: "segno events RUN" prints its events, and "segno replay RUN" plays them.',
  "--log-file": 'Every run is recorded: "segno events RUN" prints its events, and "segno replay RUN" plays them.',
  "--no-interactive": "Nothing is asked where stdin is no terminal: write < /dev/null. The run pauses at a gate.",
  "--web-port": 'The page of a run takes a free port: --web. "segno serve --port N" shows all runs on a port of yours.',
  "--web-bg": 'Start the run with & and look at it with "segno serve".',
  "--workspace-instructions": "Name the files in the workflow: `instructions: [AGENTS.md]`.",
  "--instructions": "Name the files in the workflow: `instructions: [rules.md]`.",
  "--print-loaded-instructions": '"segno run --dry-run" shows what would run.',
};

function unknownOption(given: string, flags: readonly Flag[], whose: string): UsageError {
  const name = given.split("=")[0] ?? given;
  const known = flags.map(({ long }) => long);
  if (known.includes(name) && name !== given) return new UsageError(`${name} takes no value.`);
  const hint = Object.hasOwn(CONDUCTOR_HINTS, name) ? CONDUCTOR_HINTS[name] : undefined;
  if (hint !== undefined && !known.includes(name)) return new UsageError(`${whose} no option ${name}. ${hint}`);
  const suggestions = name.startsWith("--") ? nearest(name, known) : [];
  return new UsageError(`${whose} no option ${name}.${didYouMean(suggestions, '"')}`, { suggestions });
}

/** Who forgets `--on` before a fleet's address reads what is meant, and not its password. */
function refuseAddress(spec: CommandSpec, operands: readonly string[]): void {
  const address = operands.find((operand) => /^postgres(ql)?:\/\//i.test(operand));
  if (address === undefined) return;
  throw new UsageError(
    `"${withoutAddressSecrets(address)}" is the address of a fleet, which "segno ${spec.name}" takes behind --on.`,
    { suggestions: ["--on"] },
  );
}

function checkArguments(spec: CommandSpec, operands: readonly string[]): void {
  refuseAddress(spec, operands);
  const wanted = spec.arguments ?? [];
  const missing = wanted.find(({ required }, index) => required && operands[index] === undefined);
  if (missing) throw new UsageError(`"segno ${spec.name}" needs ${argumentText(missing)}: ${missing.about}.`);
  const extra = operands[wanted.length];
  if (extra !== undefined && !wanted.at(-1)?.many) {
    const takes = wanted.length === 0 ? "takes no arguments" : `takes only ${wanted.map(argumentText).join(" ")}`;
    throw new UsageError(`"segno ${spec.name}" ${takes}; "${extra}" is one too many.`);
  }
  for (const [index, { name, choices }] of wanted.entries()) {
    const given = operands[index];
    if (choices && given !== undefined && !choices.includes(given)) throw badChoice(`<${name}>`, given, choices);
  }
}

// Small on purpose: every call waits for it, and a library that can do more brought half of Node's standard library along.

interface Flag {
  readonly spec: OptionSpec;
  readonly short?: string | undefined;
  readonly long: string;
  /** What the option is kept under: `max-iterations`, and `color` for `--no-color`. */
  readonly name: string;
  readonly negates: boolean;
  readonly takesValue: boolean;
}

export function flagOf(spec: OptionSpec): Flag {
  const long = /--[\w-]+/.exec(spec.flags)?.[0] ?? spec.flags;
  const short = /^-\w/.exec(spec.flags)?.[0];
  const negates = long.startsWith("--no-");
  return { spec, long, short, name: long.slice(negates ? 5 : 2), negates, takesValue: spec.flags.includes("<") };
}

interface OptionsRead {
  readonly operands: readonly string[];
  /** By name: true or false for flags, otherwise what was written, in order. */
  readonly options: ReadonlyMap<string, boolean | readonly string[]>;
  /** Options that the command does not have. */
  readonly unknown: readonly string[];
  /** The option at the end of the line that lacks its value. */
  readonly unfinished?: string;
}

const isOption = (arg: string): boolean => arg.length > 1 && arg.startsWith("-") && !/^-\d*\.?\d+$/.test(arg);

export function readOptions(args: readonly string[], flags: readonly Flag[]): OptionsRead {
  const operands: string[] = [];
  const unknown: string[] = [];
  const options = new Map<string, boolean | string[]>();
  for (const { negates, name } of flags) if (negates) options.set(name, true);
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === "--") {
      operands.push(...left);
      break;
    }
    if (!isOption(arg)) {
      operands.push(arg);
      continue;
    }
    const { flag, value, more } = recognize(arg, flags);
    if (!flag) unknown.push(arg);
    else if (!flag.takesValue) options.set(flag.name, !flag.negates);
    else {
      const given = value ?? left.shift();
      if (given === undefined) return { operands, options, unknown, unfinished: arg };
      const before = options.get(flag.name);
      options.set(flag.name, [...(Array.isArray(before) ? before : []), given]);
    }
    if (more) left.unshift(more);
  }
  return { operands, options, unknown };
}

interface Recognized {
  readonly flag?: Flag | undefined;
  /** Written in the same word: `--home=/h`, `-ia=1`. */
  readonly value?: string;
  /** The other flags of `-qv`. */
  readonly more?: string;
}

function recognize(arg: string, flags: readonly Flag[]): Recognized {
  const whole = flags.find(({ short, long }) => arg === long || arg === short);
  if (whole) return { flag: whole };
  if (arg.startsWith("--")) {
    const [name, ...rest] = arg.split("=");
    const flag = rest.length > 0 ? flags.find(({ long, takesValue }) => takesValue && long === name) : undefined;
    return { flag, value: rest.join("=") };
  }
  const flag = flags.find(({ short }) => short === arg.slice(0, 2));
  return flag && !flag.takesValue ? { flag, more: `-${arg.slice(2)}` } : { flag, value: arg.slice(2) };
}

export interface FoundCommand {
  /** Nothing: help on all of it. */
  readonly spec?: CommandSpec;
  /** The first word of commands that have a second: help on those. */
  readonly family?: string;
  readonly rest: readonly string[];
}

/** Options before the command that take a value as their next argument. */
const TAKES_VALUE = new Set(["--output-format", "--home"]);

/** Index of the next word that is neither an option nor the value of one; the list's length when there is none. */
function nextWord(args: readonly string[], from: number): number {
  let at = from;
  while (at < args.length && args[at]?.startsWith("-")) at += TAKES_VALUE.has(args[at] ?? "") ? 2 : 1;
  return Math.min(at, args.length);
}

const asksForHelp = (args: readonly string[]): boolean => args.some((arg) => arg === "--help" || arg === "-h");

/** Commands of earlier releases, and what to use instead. */
const REMOVED: Readonly<Record<string, string>> = {
  forecast: '"segno stats FILE" says how past runs ended, how long they took and what they cost.',
};

export function findCommand(args: readonly string[], commands: readonly CommandSpec[]): FoundCommand {
  const at = nextWord(args, 0);
  const word = args[at];
  const before = args.slice(0, at);
  if (word === undefined) return { rest: before };
  if (word === "help") return findCommand([...args.slice(at + 1), "--help"], commands);
  if (word === "version") return { rest: [...before, ...args.slice(at + 1), "--version"] };

  const single = commands.find(({ name }) => name === word);
  const family = commands.filter(({ name }) => name.startsWith(`${word} `));
  const behind = args.slice(at + 1);
  if (family.length > 0) {
    const next = nextWord(behind, 0);
    const second = family.find(({ name }) => name === `${word} ${behind[next]}`);
    if (second) return { spec: second, rest: [...before, ...behind.toSpliced(next, 1)] };
    if (!single) return noSecondWord(word, behind[next], family, [...before, ...behind]);
  }
  if (single) return { spec: single, rest: [...before, ...behind] };

  const instead = Object.hasOwn(REMOVED, word) ? REMOVED[word] : undefined;
  if (instead !== undefined) throw new UsageError(`There is no command "${word}" any more. ${instead}`);
  const synonym = Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined;
  const firstWords = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? name))];
  const suggestions = synonym === undefined ? nearest(word, firstWords) : [synonym];
  throw new UsageError(`There is no command "${word}".${didYouMean(suggestions, '"')}`, { suggestions });
}

function noSecondWord(
  word: string,
  given: string | undefined,
  family: readonly CommandSpec[],
  rest: readonly string[],
): FoundCommand {
  if (given === undefined && asksForHelp(rest)) return { family: word, rest };
  const seconds = family.map(({ name }) => name.slice(word.length + 1));
  const what = `"segno ${word}" is one of: ${seconds.join(", ")}.`;
  if (given === undefined) throw new UsageError(what, { command: word });
  const suggestions = nearest(given, seconds);
  throw new UsageError(`There is no command "${word} ${given}". ${what}${didYouMean(suggestions, '"')}`, {
    suggestions,
    command: word,
  });
}
