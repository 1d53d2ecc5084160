// Filters that make one text of another. Anything that is no text becomes text first.
import { fail } from "../error.ts";
import { spend, spendText } from "../limits.ts";
import { center, replace } from "../methods/string-methods.ts";
import { capitalize, charsOf, lengthOf, sliceOf, splitLines, strip } from "../values/characters.ts";
import { isTrue } from "../values/compare.ts";
import { Dict, length } from "../values/dict.ts";
import { printf } from "../values/printf.ts";
import { str } from "../values/repr.ts";
import { byName, type Operation, operation, textArgument, wholeNumber } from "../values/thing.ts";
import {
  aTypeWord,
  escapeHtml,
  isText,
  like,
  Markup,
  raiseUndefined,
  textOf,
  tupleOf,
  Undefined,
  type Value,
} from "../values/value.ts";

/** A filter from text to text that keeps safe text safe. */
function onText(parameters: readonly string[], run: (text: string, args: readonly Value[]) => string): Operation {
  return operation(parameters, (input, args) => {
    const text = str(input);
    spendText(text.length);
    return like(input, run(text, args));
  });
}

/** A few filters do not turn their input into text first. */
function onlyText(input: Value, filter: string): string {
  if (input instanceof Undefined) raiseUndefined(input);
  return textOf(input) ?? fail("type", `'${filter}' needs text, not ${aTypeWord(input)}.`);
}

function indentLines(text: string, width: Value, first: Value, blank: Value): string {
  const margin = textOf(width) ?? " ".repeat(marginWidth(width));
  const lines = splitLines(`${text}\n`);
  spendText(text.length + lines.length * margin.length);
  const rest = lines.slice(1).map((line) => (line !== "" || isTrue(blank) ? margin + line : line));
  return (isTrue(first) ? margin : "") + [lines[0] ?? "", ...rest].join("\n");
}

function marginWidth(width: Value): number {
  const blanks = Math.max(0, wholeNumber(width, 4));
  spendText(blanks);
  return blanks;
}

function truncate(input: Value, [width, killWords = false, end = "...", leeway]: readonly Value[]): Value {
  const limit = wholeNumber(width, 255);
  const mark = textArgument(end);
  if (limit < lengthOf(mark)) fail("type", `'truncate' needs a length of at least ${lengthOf(mark)}.`);
  const slack = leeway === null ? 5 : wholeNumber(leeway, 5);
  if (length(input) <= limit + slack) return input;
  const text = onlyText(input, "truncate");
  const cut = sliceOf(text, 0, limit - lengthOf(mark));
  const lastBlank = cut.lastIndexOf(" ");
  return like(input, (isTrue(killWords) || lastBlank < 0 ? cut : cut.slice(0, lastBlank)) + mark);
}

/** Words begin after blanks, hyphens and opening brackets. */
function titleWords(text: string): string {
  return text
    .split(/([-\s({[<]+)/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join("");
}

export const TEXT_FILTERS = byName({
  string: operation([], (input) => (isText(input) ? input : str(input))),
  upper: onText([], (text) => text.toUpperCase()),
  lower: onText([], (text) => text.toLowerCase()),
  capitalize: onText([], capitalize),
  title: onText([], titleWords),
  trim: onText(["chars?"], (text, [chars]) =>
    strip(text, "both", chars === undefined || chars === null ? undefined : textArgument(chars)),
  ),
  center: onText(["width?"], (text, [width]) => center(text, wholeNumber(width, 80))),
  replace: operation(["old", "new", "count?"], (input, [old, by, count]) =>
    replace(str(input), str(old), str(by), count === null ? -1 : wholeNumber(count, -1)),
  ),
  indent: operation(["width?", "first?", "blank?"], (input, [width, first = false, blank = false]) =>
    like(input, indentLines(onlyText(input, "indent"), width, first, blank)),
  ),
  truncate: operation(["length?", "killwords?", "end?", "leeway?"], truncate),
  wordcount: operation([], (input) => str(input).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0),
  wordwrap: operation(
    ["width?", "break_long_words?", "wrapstring?", "break_on_hyphens?"],
    (input, [width, breakWords = true, wrap, hyphens = true]) =>
      wrapLines(onlyText(input, "wordwrap"), {
        width: wholeNumber(width, 79),
        breakLongWords: isTrue(breakWords),
        breakOnHyphens: isTrue(hyphens),
        separator: wrap === null ? "\n" : textArgument(wrap, "\n"),
      }),
  ),
  format: (input, args) => {
    if (args.positional.length > 0 && args.named.size > 0)
      fail("type", "'format' takes values or named values, not both.");
    const named = new Dict();
    for (const [name, value] of args.named) named.set(name, value);
    const values = args.named.size > 0 ? named : tupleOf([...args.positional]);
    return like(input, printf(str(input), values, input instanceof Markup ? escapeHtml : undefined));
  },
});

interface Wrapping {
  readonly width: number;
  readonly breakLongWords: boolean;
  readonly breakOnHyphens: boolean;
  readonly separator: string;
}

/** Breaks lines at blanks, and at hyphens inside words, as Python's textwrap does. */
function wrapLines(text: string, wrapping: Wrapping): string {
  if (wrapping.width <= 0) fail("type", "The width of 'wordwrap' must be more than 0.");
  const lines = splitLines(text).map((line) => wrapLine(line, wrapping).join(wrapping.separator));
  let length = 0;
  for (const line of lines) length += line.length + wrapping.separator.length;
  spendText(length);
  return lines.join(wrapping.separator);
}

function wrapLine(line: string, wrapping: Wrapping): string[] {
  const chunks = chunksOf(line, wrapping.breakOnHyphens).reverse();
  spend(chunks.length * 8);
  const lines: string[] = [];
  while (chunks.length > 0) {
    if (lines.length > 0 && isBlank(chunks.at(-1)!)) chunks.pop();
    const current: string[] = [];
    let size = 0;
    while (chunks.length > 0 && size + lengthOf(chunks.at(-1)!) <= wrapping.width) {
      spend(1);
      const chunk = chunks.pop()!;
      current.push(chunk);
      size += lengthOf(chunk);
    }
    const next = chunks.at(-1);
    if (next !== undefined && lengthOf(next) > wrapping.width) {
      splitLong(chunks, current, wrapping.width - size, wrapping);
    }
    if (current.length > 0 && isBlank(current.at(-1)!)) current.pop();
    if (current.length > 0) lines.push(current.join(""));
  }
  return lines;
}

/** A word longer than a line: cut it, or give it a line of its own. */
function splitLong(chunks: string[], current: string[], room: number, wrapping: Wrapping): void {
  const space = Math.max(1, room);
  if (!wrapping.breakLongWords) {
    if (current.length === 0) current.push(chunks.pop()!);
    return;
  }
  const chars = charsOf(chunks.pop()!);
  spend(chars.length >>> 2);
  let end = space;
  if (wrapping.breakOnHyphens && chars.length > space) {
    const hyphen = chars.slice(0, space).lastIndexOf("-");
    if (hyphen > 0 && chars.slice(0, hyphen).some((char) => char !== "-")) end = hyphen + 1;
  }
  current.push(chars.slice(0, end).join(""));
  chunks.push(chars.slice(end).join(""));
}

const isBlank = (chunk: string): boolean => /^[\t-\r ]*$/.test(chunk);

function chunksOf(line: string, breakOnHyphens: boolean): string[] {
  const words = line.split(/([\t-\r ]+)/).filter((word) => word !== "");
  if (!breakOnHyphens) return words;
  // A hyphen breaks a word only between letters: `well-known`, not `-x` or `3-4`.
  return words.flatMap((word) => (isBlank(word) ? [word] : word.split(/(?<=[\p{L}_]{2}-)(?=[\p{L}_]{2})/u)));
}
