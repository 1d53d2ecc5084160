// How values look outside of the engine: Python's str() for printing, repr() for what is inside a list, and plain data.

import { fail } from "../error.ts";
import { spend, spendText } from "../limits.ts";
import { Dict, entriesOf, isDictionary, raiseMethod } from "./dict.ts";
import { Float, floatText } from "./float.ts";
import { Generator, isOwnList, Range, View } from "./sequences.ts";
import { Callable, Method, Thing } from "./thing.ts";
import {
  aTypeWord,
  Internal,
  isIntNumber,
  Markup,
  MISSING,
  Nothing,
  present,
  raiseUndefined,
  Tuple,
  textOf,
  Undefined,
  type Value,
} from "./value.ts";

/** Text for printing. */
export function str(value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof Markup) return value.text;
  return value instanceof Nothing ? "" : repr(value);
}

export function repr(value: Value): string {
  spend(1);
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "number":
      return numberText(value);
    case "bigint":
      return String(value);
    case "boolean":
      return value ? "True" : "False";
    case "object":
      return value === null ? "None" : objectText(value);
    default:
      return "None";
  }
}

function numberText(n: number): string {
  if (Number.isSafeInteger(n)) return String(n === 0 ? 0 : n);
  return isIntNumber(n) ? String(BigInt(n)) : floatText(n);
}

function objectText(value: object): string {
  if (Array.isArray(value)) {
    const inner = joined(value.map(repr));
    if (!(value instanceof Tuple)) return `[${inner}]`;
    return value.length === 1 ? `(${inner},)` : `(${inner})`;
  }
  if (isDictionary(value)) return `{${joined(entriesOf(value).map(([key, item]) => `${repr(key)}: ${repr(item)}`))}}`;
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Markup) return `Markup(${quoted(value.text)})`;
  if (value instanceof Undefined) return raiseUndefined(value);
  if (value instanceof Range) return value.text;
  if (value instanceof View) return `dict_${value.what}([${joined(value.items().map(repr))}])`;
  // Jinja2 prints an address in memory here; the items are more useful.
  if (value instanceof Generator) return `[${joined(Array.from(value, repr))}]`;
  if (value instanceof Method) return raiseMethod(value);
  return value instanceof Callable || value instanceof Thing ? value.text : "None";
}

/** With commas, and paid for. */
export function joined(parts: readonly string[]): string {
  let length = 0;
  for (const part of parts) length += part.length + 2;
  spendText(length);
  return parts.join(", ");
}

const NAMED: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** In quotes as Python writes it: single ones, unless only double ones save an escape. */
export function quoted(text: string): string {
  spendText(text.length);
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\'\n\r\t]|(?! )[\p{C}\p{Z}]/gu, (char) => {
    if (char === "'") return quote === "'" ? "\\'" : "'";
    return NAMED[char] ?? escapeCode(char.codePointAt(0)!);
  });
  return quote + escaped + quote;
}

function escapeCode(point: number): string {
  const hex = point.toString(16);
  if (point < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return point < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/**
 * Handed-in objects leave as they came: nothing of the engine can be inside them.
 * Numbers that JSON cannot hold leave as text, as `coerce` leaves them.
 */
export function toPlain(value: Value): unknown {
  spend(1);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : repr(value);
  if (Array.isArray(value)) return plainItems(value);
  if (!(value instanceof Internal)) return present(value) === MISSING ? null : value;
  if (value instanceof Float) return Object.is(value.value, -0) ? 0 : value.value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Dict) {
    return Object.fromEntries(Array.from(value, ([key, item]) => [keyText(key), toPlain(item)]));
  }
  if (value instanceof Range || value instanceof Generator) return plainItems([...value]);
  if (value instanceof View) return plainItems(value.items());
  if (value instanceof Undefined) return value instanceof Nothing ? "" : raiseUndefined(value);
  return fail("type", `The result is ${aTypeWord(value)}, which is no data.`);
}

function plainItems(items: readonly Value[]): readonly unknown[] {
  const handedIn = Object.getPrototypeOf(items) === Array.prototype && !isOwnList(items);
  let copy: unknown[] | undefined = handedIn ? undefined : [...items];
  const seen = new Set<object>();
  for (let i = 0; i < items.length; i++) {
    if (!handedIn) spendRepetition(items[i], seen);
    const plain = toPlain(items[i]);
    if (plain === items[i]) continue;
    copy ??= items.slice();
    copy[i] = plain;
  }
  return copy ?? items;
}

/**
 * `['x' * 100000] * 100000` is one text and a short list in memory, and gigabytes as soon as it is written. What a template
 * repeats is paid for as often as it stands there; what it was given, once, is not.
 */
function spendRepetition(value: Value, seen: Set<object>): void {
  if (typeof value === "string") spend(value.length >>> 5);
  if (typeof value !== "object" || value === null || value instanceof Internal) return;
  if (seen.has(value)) spendWhole(value);
  seen.add(value);
}

function spendWhole(root: object): void {
  const open: object[] = [root];
  for (let value = open.pop(); value; value = open.pop())
    for (const [key, inner] of Object.entries(value)) {
      spend(1 + ((key.length + (typeof inner === "string" ? inner.length : 0)) >>> 5));
      if (typeof inner === "object" && inner !== null) open.push(inner);
    }
}

/** A key as JSON writes it. */
export function keyText(key: Value): string {
  if (typeof key === "boolean" || key === null) return String(key);
  return textOf(key) ?? repr(key);
}
