// Text by characters: counted, cased and cut as Python does it, and str's methods that answer a question.
import { fail } from "../error.ts";
import { spend } from "../limits.ts";
import { byName, type Operation, operation, textArgument, wholeNumber } from "./thing.ts";
import { textOf, type Value } from "./value.ts";

const RANGE = ["sub", "start?", "end?"];

function onPart(run: (text: string, sub: Value, offset: number) => Value): Operation {
  return operation(RANGE, (input, [sub, start, end]) => {
    const text = textOf(input) ?? "";
    if (start === undefined && end === undefined) return run(text, sub, 0);
    const size = lengthOf(text);
    const from = clamp(start === null ? 0 : wholeNumber(start, 0), size);
    const to = clamp(end === null ? size : wholeNumber(end, size), size);
    return run(sliceOf(text, from, Math.max(from, to)), sub, from);
  });
}

const clamp = (index: number, size: number): number => Math.min(size, Math.max(0, index < 0 ? index + size : index));

function position(text: string, sub: Value, offset: number, which: "first" | "last"): number {
  const needle = textArgument(sub);
  paySearch(text, needle);
  const at = which === "first" ? text.indexOf(needle) : text.lastIndexOf(needle);
  if (at < 0) return -1;
  return offset + (hasPairs(text) ? lengthOf(text.slice(0, at)) : at);
}

const existing = (at: number): number =>
  at >= 0 ? at : fail("type", "The text does not contain what 'index' looks for; 'find' gives -1 instead.");

const anyOf = (sub: Value, matches: (part: string) => boolean): boolean =>
  Array.isArray(sub) ? sub.some((part) => matches(textArgument(part))) : matches(textArgument(sub));

/** The pattern is made when it is first asked: V8 looks up the classes of Unicode as soon as there is one, for 1 ms. */
function matching(make: () => RegExp): Operation {
  let pattern: RegExp | undefined;
  return operation([], (input) => {
    pattern ??= make();
    return pattern.test(textOf(input) ?? "");
  });
}

function cased(isCased: (text: string) => boolean): Operation {
  return operation([], (input) => {
    const text = textOf(input) ?? "";
    return /[\p{Lu}\p{Ll}\p{Lt}]/u.test(text) && isCased(text);
  });
}

export const STRING_CHECKS = byName({
  find: onPart((text, sub, offset) => position(text, sub, offset, "first")),
  rfind: onPart((text, sub, offset) => position(text, sub, offset, "last")),
  index: onPart((text, sub, offset) => existing(position(text, sub, offset, "first"))),
  rindex: onPart((text, sub, offset) => existing(position(text, sub, offset, "last"))),
  count: onPart((text, sub) => (textArgument(sub) === "" ? lengthOf(text) + 1 : countOf(text, textArgument(sub)))),
  startswith: onPart((text, sub) => anyOf(sub, (part) => text.startsWith(part))),
  endswith: onPart((text, sub) => anyOf(sub, (part) => text.endsWith(part))),
  isalnum: matching(() => /^[\p{L}\p{N}]+$/u),
  isalpha: matching(() => /^\p{L}+$/u),
  isascii: matching(() => /^[\x00-\x7f]*$/),
  isdecimal: matching(() => /^\p{Nd}+$/u),
  isdigit: matching(() => /^[\p{Nd}\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089\u2460-\u2468]+$/u),
  isidentifier: matching(() => /^[\p{ID_Start}_]\p{ID_Continue}*$/u),
  isnumeric: matching(() => /^\p{N}+$/u),
  isprintable: matching(() => /^(?:[^\p{C}\p{Z}]| )*$/u),
  isspace: matching(() => /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/),
  islower: cased((text) => text === text.toLowerCase()),
  isupper: cased((text) => text === text.toUpperCase()),
  istitle: cased((text) => text === titleCase(text)),
});

// Upper, lower and title case as Python does it.

export function capitalize(text: string): string {
  const first = text.codePointAt(0);
  if (first === undefined) return "";
  const head = String.fromCodePoint(first);
  return titleChar(head) + text.slice(head.length).toLowerCase();
}

/** One character may become several, of which only the first is a capital: ß is Ss. */
function titleChar(char: string): string {
  const [first = "", ...rest] = char.toUpperCase();
  return first + rest.join("").toLowerCase();
}

/** Every run of letters starts with a capital. */
export const titleCase = (text: string): string => text.replace(/\p{L}+/gu, capitalize);

export const swapCase = (text: string): string =>
  Array.from(text, (char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase())).join("");

// Python counts characters, JavaScript counts halves of some of them. Texts without
// such pairs, which are nearly all, take the short way.

const PAIRS = /[\ud800-\udfff]/;

export const hasPairs = (text: string): boolean => PAIRS.test(text);

export const charsOf = (text: string): string[] => (hasPairs(text) ? Array.from(text) : text.split(""));

export function lengthOf(text: string): number {
  if (!hasPairs(text)) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** The part between two places counted in characters. */
export const sliceOf = (text: string, from: number, to?: number): string =>
  hasPairs(text) ? Array.from(text).slice(from, to).join("") : text.slice(from, to);

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!hasPairs(a) && !hasPairs(b)) return a < b ? -1 : 1;
  const left = Array.from(a);
  const right = Array.from(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const difference = left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

// Looking for one text in another. A long needle in a long text can take very long in
// the worst case, so it is paid for by the product of both.

export function paySearch(text: string, needle: string): void {
  const rounds = needle.length > 64 ? (text.length / 4096) * needle.length : text.length / 64;
  spend(1 + Math.floor(rounds));
}

export function countOf(text: string, needle: string): number {
  paySearch(text, needle);
  let count = 0;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) count++;
  return count;
}

// Python's idea of whitespace, and stripping by walking from the ends: a pattern like
// /\s+$/ takes quadratic time on long runs of blanks.

const RARE_SPACE = /[\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function isSpace(char: string): boolean {
  const code = char.charCodeAt(0);
  if (code < 0x80) return code === 0x20 || (code >= 9 && code <= 13) || (code >= 0x1c && code <= 0x1f);
  return code === 0x85 || code === 0xa0 || (code >= 0x1680 && RARE_SPACE.test(char));
}

/** `ends` says which ends; `chars` are the characters to take away, blanks if not given. */
export function strip(text: string, ends: "left" | "right" | "both", chars?: string): string {
  const set = chars === undefined ? undefined : new Set(chars);
  const units = set && /[\ud800-\udfff]/.test(text + chars) ? Array.from(text) : undefined;
  const size = units?.length ?? text.length;
  const taken = (i: number): boolean => {
    const char = units?.[i] ?? text[i] ?? "";
    return set ? set.has(char) : isSpace(char);
  };
  let start = 0;
  let end = size;
  if (ends !== "right") while (start < end && taken(start)) start++;
  if (ends !== "left") while (end > start && taken(end - 1)) end--;
  return units ? units.slice(start, end).join("") : text.slice(start, end);
}

/** str.split() without a separator: by runs of blanks, at most `limit` cuts. */
export function splitBlanks(text: string, limit: number): string[] {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && isSpace(text[at]!)) at++;
    if (at >= text.length) return parts;
    if (limit >= 0 && parts.length === limit) {
      parts.push(strip(text.slice(at), "right"));
      return parts;
    }
    const start = at;
    while (at < text.length && !isSpace(text[at]!)) at++;
    parts.push(text.slice(start, at));
  }
}

/** The same from the right. */
export function splitBlanksRight(text: string, limit: number): string[] {
  const parts: string[] = [];
  let end = text.length;
  for (;;) {
    while (end > 0 && isSpace(text[end - 1]!)) end--;
    if (end === 0) return parts.reverse();
    if (limit >= 0 && parts.length === limit) {
      parts.push(strip(text.slice(0, end), "left"));
      return parts.reverse();
    }
    const stop = end;
    while (end > 0 && !isSpace(text[end - 1]!)) end--;
    parts.push(text.slice(end, stop));
  }
}

const LINE_BREAK = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

export function splitLines(text: string, keepEnds = false): string[] {
  const lines: string[] = [];
  let start = 0;
  for (const match of text.matchAll(LINE_BREAK)) {
    const end = match.index + match[0].length;
    lines.push(text.slice(start, keepEnds ? end : match.index));
    start = end;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}
