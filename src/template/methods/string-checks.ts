// str's methods that answer a question: where something is, and of what kind a text is.
import { fail } from "../error.ts";
import { countOf, hasPairs, lengthOf, paySearch, sliceOf } from "../values/characters.ts";
import { textOf } from "../values/markup.ts";
import { operation, textArgument, wholeNumber } from "../values/signature.ts";
import type { Operation } from "../values/thing.ts";
import type { Value } from "../values/value.ts";

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

function clamp(index: number, size: number): number {
  return Math.min(size, Math.max(0, index < 0 ? index + size : index));
}

function position(text: string, sub: Value, offset: number, which: "first" | "last"): number {
  const needle = textArgument(sub);
  paySearch(text, needle);
  const at = which === "first" ? text.indexOf(needle) : text.lastIndexOf(needle);
  if (at < 0) return -1;
  return offset + (hasPairs(text) ? lengthOf(text.slice(0, at)) : at);
}

function existing(at: number): number {
  return at >= 0 ? at : fail("type", "The text does not contain what 'index' looks for; 'find' gives -1 instead.");
}

function anyOf(sub: Value, matches: (part: string) => boolean): boolean {
  return Array.isArray(sub) ? sub.some((part) => matches(textArgument(part))) : matches(textArgument(sub));
}

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

export const STRING_CHECKS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["find", onPart((text, sub, offset) => position(text, sub, offset, "first"))],
  ["rfind", onPart((text, sub, offset) => position(text, sub, offset, "last"))],
  ["index", onPart((text, sub, offset) => existing(position(text, sub, offset, "first")))],
  ["rindex", onPart((text, sub, offset) => existing(position(text, sub, offset, "last")))],
  ["count", onPart((text, sub) => (textArgument(sub) === "" ? lengthOf(text) + 1 : countOf(text, textArgument(sub))))],
  ["startswith", onPart((text, sub) => anyOf(sub, (part) => text.startsWith(part)))],
  ["endswith", onPart((text, sub) => anyOf(sub, (part) => text.endsWith(part)))],
  ["isalnum", matching(() => /^[\p{L}\p{N}]+$/u)],
  ["isalpha", matching(() => /^\p{L}+$/u)],
  ["isascii", matching(() => /^[\x00-\x7f]*$/)],
  ["isdecimal", matching(() => /^\p{Nd}+$/u)],
  ["isdigit", matching(() => /^[\p{Nd}\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089\u2460-\u2468]+$/u)],
  ["isidentifier", matching(() => /^[\p{ID_Start}_]\p{ID_Continue}*$/u)],
  ["isnumeric", matching(() => /^\p{N}+$/u)],
  ["isprintable", matching(() => /^(?:[^\p{C}\p{Z}]| )*$/u)],
  ["isspace", matching(() => /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/)],
  ["islower", cased((text) => text === text.toLowerCase())],
  ["isupper", cased((text) => text === text.toUpperCase())],
  ["istitle", cased((text) => text === titleCase(text))],
]);

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
export function titleCase(text: string): string {
  return text.replace(/\p{L}+/gu, capitalize);
}

export function swapCase(text: string): string {
  return Array.from(text, (char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase())).join("");
}
