// `output_type` of a `set` step: a value as the type that was asked for. What Conductor takes is taken: its words for
// booleans, Python's digits, YAML for lists and mappings.
import { createRequire } from "node:module";
import { isMapping } from "../../errors/mapping.ts";
import { isTooDeep, parseJson } from "../../json/bounded.ts";
import { readNumber } from "../../template/coerce.ts";
import type { SetStep } from "./schema.ts";

export type TypedOutput = Exclude<NonNullable<SetStep["output_type"]>, "auto">;

/** Only what means the same in both types is converted; undefined when there is no such value. */
export function readAs(wanted: TypedOutput, value: unknown): unknown {
  const text = typeof value === "string" ? value.trim() : undefined;
  switch (wanted) {
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "number":
      return numberOf(text ?? value);
    case "integer": {
      const number = numberOf(text ?? value);
      return Number.isInteger(number) ? number : undefined;
    }
    case "boolean":
      return typeof value === "boolean" ? value : BOOLEANS.get(String(text ?? value).toLowerCase());
    case "list": {
      const list = text === undefined ? value : readYaml(text);
      return Array.isArray(list) ? list : undefined;
    }
    case "dict": {
      const mapping = text === undefined ? value : readYaml(text);
      return isMapping(mapping) ? mapping : undefined;
    }
    default:
      return wanted satisfies never;
  }
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === "string" ? readNumber(value) : typeof value === "number" ? value : undefined;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "y", "on", "1"].map((word) => [word, true] as const),
  ...["false", "no", "n", "off", "0"].map((word) => [word, false] as const),
]);

/** JSON is YAML too, and reading it needs no library, which takes long to start. */
function readYaml(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    try {
      const { parse } = createRequire(import.meta.url)("yaml") as typeof import("yaml");
      const value: unknown = parse(text);
      return isTooDeep(value) ? undefined : value;
    } catch {
      return undefined;
    }
  }
}

export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "object" ? "dict" : typeof value;
}
