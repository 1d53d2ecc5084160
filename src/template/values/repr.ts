// How values look as text: Python's str() for printing, repr() for what is inside a list.

import { spend, spendText } from "../limits.ts";
import { entriesOf, isDictionary } from "./dict.ts";
import { Float, floatText } from "./float.ts";
import { raiseMethod } from "./iterate.ts";
import { Markup } from "./markup.ts";
import { Generator, Range, View } from "./sequences.ts";
import { Callable, Method, Thing } from "./thing.ts";
import { Nothing, raiseUndefined, Undefined } from "./undefined.ts";
import { isIntNumber, Tuple, type Value } from "./value.ts";

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
