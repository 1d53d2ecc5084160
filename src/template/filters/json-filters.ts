import { spendText } from "../limits.ts";
import { jsonText } from "../values/json-text.ts";
import { Markup, textOf } from "../values/markup.ts";
import { operation, wholeNumber } from "../values/signature.ts";
import type { Operation } from "../values/thing.ts";
import type { Value } from "../values/value.ts";
import { prettyText } from "./pretty-text.ts";

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
