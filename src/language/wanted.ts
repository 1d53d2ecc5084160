// What a field wants, in words: "must be {wanted}, but it is {found}".

import type { core } from "zod";
import { choicesOf, defOf, metaOf, unwrap } from "./schema-at.ts";

interface Bounds {
  readonly low?: number;
  readonly high?: number;
  /** The lowest value is not itself allowed. */
  readonly above?: number;
}

interface CheckDef {
  readonly check: string;
  readonly value?: number;
  readonly inclusive?: boolean;
  readonly minimum?: number;
}

function boundsOf(schema: core.$ZodType): Bounds {
  let bounds: Bounds = {};
  for (const one of defOf(schema).checks ?? []) {
    const { check, value, inclusive, minimum } = one._zod.def as CheckDef;
    if (check === "greater_than") bounds = inclusive ? { ...bounds, low: value } : { ...bounds, above: value };
    else if (check === "less_than") bounds = { ...bounds, high: value };
    else if (check === "min_length") bounds = { ...bounds, low: minimum };
  }
  return bounds;
}

export function wanted(schema: core.$ZodType): string {
  const { expects } = metaOf(schema);
  if (expects) return expects;
  const choices = choicesOf(schema);
  if (choices.length > 1) return [...new Set(choices.map(wantedOne))].join(", or ");
  return wantedOne(unwrap(schema));
}

function wantedOne(schema: core.$ZodType): string {
  const def = defOf(schema);
  const bounds = boundsOf(schema);
  switch (def.type) {
    case "string":
      return bounds.low ? "text that is not empty" : "text";
    case "number":
      return `${def.format === "safeint" ? "a whole number" : "a number"}${range(bounds)}`;
    case "boolean":
      return "true or false";
    case "array": {
      const least = bounds.low ? ` with at least ${bounds.low} ${bounds.low === 1 ? "entry" : "entries"}` : "";
      return `a list${def.element ? ` of ${plural(def.element)}` : ""}${least}`;
    }
    case "enum":
    case "literal":
      return oneOf(allowedValues(schema));
    case "null":
      return "nothing";
    case "object":
    case "record":
      return "a mapping";
    case "unknown":
      return "any value";
    default:
      return "another value";
  }
}

/** The values of an enum or literal, as text. */
export function allowedValues(schema: core.$ZodType): string[] {
  return choicesOf(schema).flatMap((choice) => {
    const def = defOf(choice);
    if (def.type !== "enum" && def.type !== "literal") return [];
    return [...(choice._zod.values ?? [])].map(String);
  });
}

const oneOf = (values: readonly string[]): string =>
  values.length === 1 ? `\`${values[0]}\`` : `one of ${values.join(", ")}`;

function range({ low, high, above }: Bounds): string {
  if (low !== undefined && high !== undefined) return ` from ${low} to ${high}`;
  if (low !== undefined) return `, ${low} or more`;
  if (above !== undefined) return ` above ${above}${high === undefined ? "" : ` and up to ${high}`}`;
  return high === undefined ? "" : ` up to ${high}`;
}

function plural(schema: core.$ZodType): string {
  switch (defOf(unwrap(schema)).type) {
    case "string":
      return "texts";
    case "number":
      return "numbers";
    case "object":
    case "record":
      return "mappings";
    default:
      return "values";
  }
}

/** An example as it would be written on the line: `timeout: 30`. */
export function example(schema: core.$ZodType, key: string | number | undefined): string | undefined {
  const [first] = metaOf(schema).examples ?? [];
  if (first === undefined) return undefined;
  const value = written(first);
  return typeof key === "string" ? `${key}: ${value}` : value;
}

/** A value as YAML on one line. */
export function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, one]) => `${key}: ${written(one)}`)
      .join(", ")}}`;
  if (typeof value !== "string") return String(value);
  return /^[\w$./-][\w $./*@-]*$/.test(value) && !/^(true|false|null|[\d.]+)$/i.test(value)
    ? value
    : JSON.stringify(value);
}
