import { parseJson } from "../../base/json/bounded.ts";
import { fail } from "../error.ts";
import { spend, spendText } from "../limits.ts";
import { compareText } from "../values/characters.ts";
import { Dict, type Dictionary, entriesOf, isDictionary } from "../values/dict.ts";
import { numberOf } from "../values/numbers.ts";
import { joined, keyText, repr, str } from "../values/repr.ts";
import { byName, operation, wholeNumber } from "../values/thing.ts";
import { aTypeWord, Markup, raiseUndefined, Tuple, textOf, Undefined, type Value } from "../values/value.ts";

function indentOf(value: Value): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = textOf(value);
  if (text !== undefined) return text;
  const width = Math.max(0, wholeNumber(value, 0));
  spendText(width);
  return " ".repeat(width);
}

/** Safe inside a <script> and inside an attribute. */
const UNSAFE: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "'": "\\u0027" };

export const JSON_FILTERS = byName({
  json: operation(["indent?"], (input, [indent = 2]) =>
    jsonText(input, { indent: indentOf(indent), sortKeys: false, lenient: true }),
  ),
  tojson: operation(["indent?"], (input, [indent]) => {
    const text = jsonText(input, { indent: indentOf(indent), sortKeys: true, lenient: false });
    return new Markup(text.replace(/[<>&']/g, (char) => UNSAFE[char]!));
  }),
  fromjson: operation([], (input) => valueOfJson(input)),
  pprint: operation([], (input) => prettyText(input)),
});

function valueOfJson(input: Value): Value {
  if (input instanceof Undefined) return raiseUndefined(input);
  const text = textOf(input);
  if (text === undefined) return fail("type", `\`fromjson\` reads text, not ${aTypeWord(input)}.`);
  spendText(text.length);
  try {
    return parseJson(text) as Value;
  } catch (problem) {
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    return fail("type", `\`fromjson\` cannot read ${JSON.stringify(shown)} as JSON: ${(problem as Error).message}.`);
  }
}

const WIDTH = 80;

/** `pprint`: like a value's text, broken over lines where it is longer than 80 characters. */
function prettyText(value: Value, margin = 0, trailing = 0): string {
  const text = flatText(value);
  if (text.length <= WIDTH - margin - trailing) return text;
  if (isDictionary(value)) return pieces("{", "}", margin, trailing, entryWriters(value));
  if (!Array.isArray(value)) return text;
  const [open, close] = value instanceof Tuple ? ["(", ")"] : ["[", "]"];
  const writers = value.map((item) => (room: number, after: number) => prettyText(item, room, after));
  return pieces(open!, close!, margin, trailing, writers);
}

type Writer = (margin: number, trailing: number) => string;

function pieces(open: string, close: string, margin: number, trailing: number, writers: readonly Writer[]): string {
  const last = writers.length - 1;
  const lines = writers.map((write, i) => write(margin + 1, i === last ? trailing + 1 : 1));
  return open + lines.join(`,\n${" ".repeat(margin + 1)}`) + close;
}

function entryWriters(value: Dictionary): Writer[] {
  return ordered(value).map(([key, item]) => (margin, trailing) => {
    const head = `${repr(key)}: `;
    return head + prettyText(item, margin + head.length, trailing);
  });
}

const ordered = (value: Dictionary): (readonly [Value, Value])[] =>
  [...entriesOf(value)].sort(([a], [b]) => compareText(String(a), String(b)));

/** The text on one line, keys in order. */
function flatText(value: Value): string {
  spend(4);
  if (isDictionary(value)) return `{${joined(ordered(value).map(([key, item]) => `${repr(key)}: ${flatText(item)}`))}}`;
  if (!Array.isArray(value)) return repr(value);
  const inner = joined(value.map(flatText));
  if (!(value instanceof Tuple)) return `[${inner}]`;
  return value.length === 1 ? `(${inner},)` : `(${inner})`;
}

interface JsonStyle {
  readonly indent: string | undefined;
  readonly sortKeys: boolean;
  /** What has no JSON becomes its text instead of an error. */
  readonly lenient: boolean;
}

/** json.dumps as Python writes it: ", " and ": ", non-ASCII escaped, floats as repr. */
function jsonText(value: Value, style: JsonStyle, margin = ""): string {
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
