import { spend, spendText } from "../limits.ts";
import { compareText } from "../values/characters.ts";
import { type Dictionary, entriesOf, isDictionary } from "../values/dict.ts";
import { jsonText } from "../values/json-text.ts";
import { Markup, textOf } from "../values/markup.ts";
import { joined, repr } from "../values/repr.ts";
import { operation, wholeNumber } from "../values/signature.ts";
import type { Operation } from "../values/thing.ts";
import { Tuple, type Value } from "../values/value.ts";

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

export const JSON_FILTERS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  [
    "json",
    operation(["indent?"], (input, [indent = 2]) =>
      jsonText(input, { indent: indentOf(indent), sortKeys: false, lenient: true }),
    ),
  ],
  [
    "tojson",
    operation(["indent?"], (input, [indent]) => {
      const text = jsonText(input, { indent: indentOf(indent), sortKeys: true, lenient: false });
      return new Markup(text.replace(/[<>&']/g, (char) => UNSAFE[char]!));
    }),
  ],
  ["pprint", operation([], (input) => prettyText(input))],
]);

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

function ordered(value: Dictionary): (readonly [Value, Value])[] {
  return [...entriesOf(value)].sort(([a], [b]) => compareText(String(a), String(b)));
}

/** The text on one line, keys in order. */
function flatText(value: Value): string {
  spend(4);
  if (isDictionary(value)) return `{${joined(ordered(value).map(([key, item]) => `${repr(key)}: ${flatText(item)}`))}}`;
  if (!Array.isArray(value)) return repr(value);
  const inner = joined(value.map(flatText));
  if (!(value instanceof Tuple)) return `[${inner}]`;
  return value.length === 1 ? `(${inner},)` : `(${inner})`;
}
