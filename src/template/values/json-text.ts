// json.dumps as Python writes it: ", " and ": ", non-ASCII escaped, floats as repr.

import { fail } from "../error.ts";
import { spend, spendText } from "../limits.ts";
import { compareText } from "./characters.ts";
import { Dict, entriesOf, isDictionary } from "./dict.ts";
import { textOf } from "./markup.ts";
import { numberOf } from "./numbers.ts";
import { keyText } from "./plain.ts";
import { repr, str } from "./repr.ts";
import { raiseUndefined, Undefined } from "./undefined.ts";
import { aTypeWord, type Value } from "./value.ts";

interface JsonStyle {
  readonly indent: string | undefined;
  readonly sortKeys: boolean;
  /** What has no JSON becomes its text instead of an error. */
  readonly lenient: boolean;
}

export function jsonText(value: Value, style: JsonStyle, margin = ""): string {
  spend(1);
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  const text = textOf(value);
  if (text !== undefined) return jsonString(text);
  const n = numberOf(value);
  if (n !== undefined) return numberText(value, n);
  if (Array.isArray(value)) {
    return enclosed("[", "]", style, margin, (inner) => value.map((item) => jsonText(item, style, inner)));
  }
  if (isDictionary(value)) {
    return enclosed("{", "}", style, margin, (inner) => {
      const entries = entriesOf(value).map(([key, item]) => {
        checkKey(key);
        return [keyText(key), item] as const;
      });
      if (style.sortKeys) entries.sort(([a], [b]) => compareText(a, b));
      return entries.map(([key, item]) => `${jsonString(key)}: ${jsonText(item, style, inner)}`);
    });
  }
  if (value instanceof Undefined) return raiseUndefined(value);
  if (style.lenient) return jsonString(str(value));
  return fail("type", `${aTypeWord(value)} has no JSON.`);
}

function checkKey(key: Value): void {
  if (Array.isArray(key) || key instanceof Dict) fail("type", `${aTypeWord(key)} cannot be a key in JSON.`);
}

function numberText(value: Value, n: number): string {
  if (Number.isNaN(n)) return "NaN";
  if (!Number.isFinite(n) && typeof value !== "bigint") return n > 0 ? "Infinity" : "-Infinity";
  return repr(value);
}

function enclosed(
  open: string,
  close: string,
  style: JsonStyle,
  margin: string,
  partsOf: (inner: string) => readonly string[],
): string {
  const inner = style.indent === undefined ? margin : margin + style.indent;
  const parts = partsOf(inner);
  if (parts.length === 0) return open + close;
  let length = 0;
  for (const part of parts) length += part.length + inner.length + 2;
  spendText(length);
  if (style.indent === undefined) return open + parts.join(", ") + close;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`;
}

function jsonString(text: string): string {
  spendText(text.length);
  const json = JSON.stringify(text);
  if (!/[\u0080-\uffff]/.test(json)) return json;
  return json.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
