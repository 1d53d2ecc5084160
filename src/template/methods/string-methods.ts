// str's methods that make or take apart texts.

import { fail } from "../error.ts";
import { spend, spendText } from "../limits.ts";
import {
  capitalize,
  charsOf,
  countOf,
  lengthOf,
  paySearch,
  splitBlanks,
  splitBlanksRight,
  splitLines,
  strip,
  swapCase,
  titleCase,
} from "../values/characters.ts";
import { isTrue } from "../values/compare.ts";
import { iterate } from "../values/dict.ts";
import { list } from "../values/sequences.ts";
import { byName, type Host, type Operation, operation, textArgument, wholeNumber } from "../values/thing.ts";
import { aTypeWord, textOf, tuple, type Value } from "../values/value.ts";
import { formatText } from "./format-text.ts";

type OnText = (text: string, args: readonly Value[], host: Host) => Value;

function method(parameters: readonly string[], run: OnText): Operation {
  return operation(parameters, (input, args, host) => {
    const text = textOf(input) ?? "";
    spendText(text.length);
    return run(text, args, host);
  });
}

export const STRING_METHODS = byName({
  capitalize: method([], capitalize),
  casefold: method([], (text) => text.toLowerCase().replaceAll("ß", "ss")),
  lower: method([], (text) => text.toLowerCase()),
  swapcase: method([], swapCase),
  title: method([], titleCase),
  upper: method([], (text) => text.toUpperCase()),
  center: method(["width", "fill?"], (text, [width, fill]) => center(text, wholeNumber(width, 0), filler(fill))),
  ljust: method(["width", "fill?"], (text, [width, fill]) => text + padding(text, wholeNumber(width, 0), filler(fill))),
  rjust: method(["width", "fill?"], (text, [width, fill]) => padding(text, wholeNumber(width, 0), filler(fill)) + text),
  zfill: method(["width"], (text, [width]) => zeroFill(text, wholeNumber(width, 0))),
  expandtabs: method(["tabsize?"], (text, [size]) => expandTabs(text, wholeNumber(size, 8))),
  strip: method(["chars?"], (text, [chars]) => strip(text, "both", optionalText(chars))),
  lstrip: method(["chars?"], (text, [chars]) => strip(text, "left", optionalText(chars))),
  rstrip: method(["chars?"], (text, [chars]) => strip(text, "right", optionalText(chars))),
  removeprefix: method(["prefix"], (text, [prefix]) => removePrefix(text, textArgument(prefix))),
  removesuffix: method(["suffix"], (text, [suffix]) => removeSuffix(text, textArgument(suffix))),
  replace: method(["old", "new", "count?"], (text, [old, by, count]) =>
    replace(text, textArgument(old), textArgument(by), wholeNumber(count, -1)),
  ),
  split: method(["sep?", "maxsplit?"], (text, [sep, max]) =>
    list(split(text, optionalText(sep), wholeNumber(max, -1))),
  ),
  rsplit: method(["sep?", "maxsplit?"], (text, [sep, max]) =>
    list(splitRight(text, optionalText(sep), wholeNumber(max, -1))),
  ),
  splitlines: method(["keepends?"], (text, [keep]) => list(splitLines(text, keep !== undefined && isTrue(keep)))),
  partition: method(["sep"], (text, [sep]) => partition(text, separator(sep), "first")),
  rpartition: method(["sep"], (text, [sep]) => partition(text, separator(sep), "last")),
  join: method(["iterable"], (text, [items]) => join(text, items)),
  format: (input, args, host) => formatText(textOf(input) ?? "", args.positional, args.named, host),
  format_map: method(["mapping"], (text, [mapping], host) => formatText(text, [], mapping, host)),
});

const optionalText = (value: Value): string | undefined =>
  value === undefined || value === null ? undefined : textArgument(value);

const separator = (value: Value): string => textArgument(value) || fail("type", "The separator is empty.");

function filler(value: Value): string {
  const fill = textArgument(value, " ");
  return lengthOf(fill) === 1 ? fill : fail("type", "The fill must be one character.");
}

function padding(text: string, width: number, fill = " "): string {
  const missing = width - lengthOf(text);
  if (missing <= 0) return "";
  spendText(width);
  return fill.repeat(missing);
}

/** Python puts the odd blank left or right depending on both lengths. */
export function center(text: string, width: number, fill = " "): string {
  const total = Math.max(0, width - lengthOf(text));
  spendText(total);
  const left = Math.floor(total / 2) + (total & width & 1);
  return fill.repeat(left) + text + fill.repeat(total - left);
}

function zeroFill(text: string, width: number): string {
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  return sign + padding(text, width, "0") + text.slice(sign.length);
}

function expandTabs(text: string, size: number): string {
  spendText(countOf(text, "\t") * Math.max(size, 0));
  let column = 0;
  let result = "";
  for (const char of text) {
    if (char === "\t") {
      const blanks = size > 0 ? size - (column % size) : 0;
      result += " ".repeat(blanks);
      column += blanks;
    } else {
      result += char;
      column = char === "\n" || char === "\r" ? 0 : column + 1;
    }
  }
  return result;
}

const removePrefix = (text: string, prefix: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;

const removeSuffix = (text: string, suffix: string): string =>
  suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;

export function replace(text: string, old: string, by: string, limit = -1): string {
  if (limit === 0) return text;
  if (old === "") return interleave(text, by, limit);
  const found = countOf(text, old);
  const times = limit < 0 ? found : Math.min(found, limit);
  spendText(text.length + times * (by.length - old.length));
  if (times === found) return text.split(old).join(by);
  return split(text, old, times).join(by);
}

function interleave(text: string, by: string, limit: number): string {
  const chars = charsOf(text);
  const times = limit < 0 ? chars.length + 1 : Math.min(limit, chars.length + 1);
  spendText(text.length + times * by.length);
  const head = chars.slice(0, times).map((char) => by + char);
  return head.join("") + (times > chars.length ? by : "") + chars.slice(times).join("");
}

function split(text: string, sep: string | undefined, limit: number): string[] {
  spend(text.length >>> 3);
  if (sep === undefined) return splitBlanks(text, limit);
  if (sep === "") return fail("type", "The separator is empty.");
  paySearch(text, sep);
  const parts: string[] = [];
  let start = 0;
  while (limit < 0 || parts.length < limit) {
    const at = text.indexOf(sep, start);
    if (at < 0) break;
    parts.push(text.slice(start, at));
    start = at + sep.length;
  }
  parts.push(text.slice(start));
  return parts;
}

function splitRight(text: string, sep: string | undefined, limit: number): string[] {
  if (limit < 0) return split(text, sep, limit);
  spend(text.length >>> 3);
  if (sep === undefined) return splitBlanksRight(text, limit);
  const all = split(text, sep, -1);
  const head = all.slice(0, Math.max(0, all.length - limit));
  return head.length === 0 ? all : [head.join(sep), ...all.slice(head.length)];
}

function partition(text: string, sep: string, which: "first" | "last"): Value {
  paySearch(text, sep);
  const at = which === "first" ? text.indexOf(sep) : text.lastIndexOf(sep);
  if (at >= 0) return tuple(text.slice(0, at), sep, text.slice(at + sep.length));
  return which === "first" ? tuple(text, "", "") : tuple("", "", text);
}

function join(separator: string, items: Value): string {
  const parts: string[] = [];
  let length = 0;
  for (const item of iterate(items)) {
    const part =
      textOf(item) ?? fail("type", `'join' needs texts, not ${aTypeWord(item)}; the filter 'join' takes anything.`);
    length += part.length + separator.length;
    spendText(length);
    parts.push(part);
  }
  return parts.join(separator);
}
