// What a field wants and what was found there, in words: "must be {wanted}, but it is {found}".

import type { core } from "zod";
import { choicesOf, defOf, metaOf, unwrap } from "./schema-at.ts";

interface Bag {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly format?: string;
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
  const bag = schema._zod.bag as Bag;
  switch (def.type) {
    case "string":
      return bag.minimum ? "text that is not empty" : "text";
    case "number":
      return `${bag.format === "safeint" ? "a whole number" : "a number"}${range(bag)}`;
    case "boolean":
      return "true or false";
    case "array":
      return `a list${def.element ? ` of ${plural(def.element)}` : ""}${bag.minimum ? ` with at least ${bag.minimum} ${bag.minimum === 1 ? "entry" : "entries"}` : ""}`;
    case "enum":
    case "literal":
      return oneOf(allowedValues(schema));
    case "null":
      return "nothing";
    case "object":
    case "record":
      return "a mapping";
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

function range({ minimum, maximum, exclusiveMinimum }: Bag): string {
  const low = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const high = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (low !== undefined && high !== undefined) return ` from ${low} to ${high}`;
  if (low !== undefined) return `, ${low} or more`;
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${high === undefined ? "" : ` and up to ${high}`}`;
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

const MOST_SHOWN = 60;

/** A value as it was found, short enough for a sentence. */
export function found(value: unknown): string {
  if (value === undefined || value === null) return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  switch (typeof value) {
    case "string":
      return `the text ${JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value)}`;
    case "number":
      return `the number ${value}`;
    case "object":
      return "a mapping";
    default:
      return String(value);
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
