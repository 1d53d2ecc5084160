// Breaks lines at blanks, and at hyphens inside words, as Python's textwrap does.

import { fail } from "../error.ts";
import { spend, spendText } from "../limits.ts";
import { charsOf, lengthOf } from "../values/code-points.ts";
import { splitLines } from "../values/whitespace.ts";

interface Wrapping {
  readonly width: number;
  readonly breakLongWords: boolean;
  readonly breakOnHyphens: boolean;
  readonly separator: string;
}

export function wrapLines(text: string, wrapping: Wrapping): string {
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

function isBlank(chunk: string): boolean {
  return /^[\t-\r ]*$/.test(chunk);
}

function chunksOf(line: string, breakOnHyphens: boolean): string[] {
  const words = line.split(/([\t-\r ]+)/).filter((word) => word !== "");
  if (!breakOnHyphens) return words;
  // A hyphen breaks a word only between letters: `well-known`, not `-x` or `3-4`.
  return words.flatMap((word) => (isBlank(word) ? [word] : word.split(/(?<=[\p{L}_]{2}-)(?=[\p{L}_]{2})/u)));
}
