// Text for a field that declares its type: the one reading, whether the text comes from `-i NAME=TEXT` or from a template.
import { parseJson } from "../json/bounded.ts";
import { readNumber } from "../template/coerce.ts";
import type { FieldType } from "./schema/output-field.ts";

/** What does not fit stays text, and is then refused with its type named. */
export function readAsDeclared(text: string, type: FieldType): unknown {
  switch (type) {
    case "string":
      return text;
    case "number":
      return readNumber(text) ?? text;
    case "boolean":
      return BOOLEANS.get(text.trim().toLowerCase()) ?? text;
    case "array":
    case "object":
      return parsedContainer(text);
    default:
      return type satisfies never;
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

/** `1.10` is JSON, too, and no list. */
function parsedContainer(text: string): unknown {
  try {
    const value: unknown = parseJson(text);
    return typeof value === "object" ? value : text;
  } catch {
    return text;
  }
}
