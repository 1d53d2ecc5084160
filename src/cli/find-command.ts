// Which command a command line names. Options that stand before it are moved behind it, so each parser sees one flat list.
import { didYouMean, nearest } from "../errors/nearest.ts";
import type { CommandSpec } from "./command.ts";
import { UsageError } from "./usage-error.ts";

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

export function findCommand(args: readonly string[], commands: readonly CommandSpec[]): FoundCommand {
  const at = nextWord(args, 0);
  const word = args[at];
  const before = args.slice(0, at);
  if (word === undefined) return { rest: before };
  if (word === "help") return findCommand([...args.slice(at + 1), "--help"], commands);

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

  const suggestions = nearest(word, [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? name))]);
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
