// What a field wants, in words; and a key that does not belong where it stands: which one was meant, where it belongs.
import type * as z from "zod";
import type { core } from "zod";
import { didYouMean, listedNames, nearest } from "../base/errors/nearest.ts";
import { route } from "../steps/schema/fields.ts";
import type { NodePath } from "./loaded.ts";
import { type Page, pathText, type Subject } from "./page.ts";
import { NODE_LISTS, STEP_TYPES, stepsKeyOf, TOP_KEYS, workflowFile } from "./schema/index.ts";
import { choicesOf, defOf, metaOf, schemaAt, shapeOf, unwrap } from "./schema-at.ts";

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

/** Says it, and returns the keys that may have been meant. `isReadOver`: the key has no effect, and the file is read without it. */
export function reportUnknownKey(
  schema: z.ZodType,
  path: NodePath,
  key: string,
  page: Page,
  subject: Subject,
  isReadOver = false,
): readonly string[] {
  const known = path.length === 0 && subject.known ? subject.known() : knownKeys(schema, path);
  const full = [...subject.path, ...path, key];
  const where =
    path.length > 0
      ? `\`${pathText(subject.name === "" ? [...subject.path, ...path] : path)}\`${subject.name === "" ? "" : ` of ${subject.name}`}`
      : subject.kind;
  const home = path.length === 0 && !subject.isForeign ? elsewhere(key, subject, page) : undefined;
  const suggestions = nearest(key, known);
  const list = known.length === 0 ? "" : ` It takes ${listedNames(known, "and")}.`;
  const effect = isReadOver ? " It has no effect." : "";
  const message = `\`${key}\` is not a field of ${where}${home ? `; it belongs ${home}` : ""}.${effect}${didYouMean(suggestions)}${list}`;
  const finding = { at: "key", suggestions, node: subject.node } as const;
  if (isReadOver) page.report("unsupported-option", full, message, { ...finding, severity: "warning" });
  else page.report("unknown-key", full, message, finding);
  return suggestions;
}

const knownKeys = (schema: z.ZodType, path: NodePath): string[] => {
  const field = schemaAt(schema, path);
  const keys = field ? choicesOf(field).flatMap((choice) => Object.keys(shapeOf(choice) ?? {})) : [];
  return [...new Set(keys)];
};

/** Where a misplaced key would be right. */
function elsewhere(key: string, subject: Subject, page: Page): string | undefined {
  const section = shapeOf(workflowFile().shape.workflow) ?? {};
  if (subject.path.length === 0) return Object.hasOwn(section, key) ? "under `workflow:`" : undefined;
  if (subject.path[0] === "workflow")
    return (TOP_KEYS as readonly string[]).includes(key)
      ? "at the top level of the file, beside `workflow:`"
      : undefined;
  if ((NODE_LISTS as readonly unknown[]).includes(subject.path[0]) && Object.hasOwn(shapeOf(route) ?? {}, key))
    return `to ${ROUTED[key] ?? "an entry of `routes`"}`;
  const types = typesWith(key);
  if (types.length === 0) return undefined;
  const all = Object.keys(STEP_TYPES);
  if (types.length === all.length) return `to steps, under \`${stepsKeyOf(page.value)}:\``;
  if (types.length > all.length / 2)
    return `to every type of step but ${listedNames(
      all.filter((type) => !types.includes(type)),
      "and",
    )}`;
  return `to steps of type ${listedNames(types, "and")}`;
}

/** A step has more than one way to be tried again, so the one that is meant is written out. */
const ROUTED: Readonly<Record<string, string>> = {
  retry: "a route for errors, such as `- { on_error: true, retry: 3 }` in `routes`",
};

let owners: ReadonlyMap<string, readonly string[]> | undefined;

/** The step types that have a field of this name. */
export function typesWith(key: string): readonly string[] {
  owners ??= ownersOfFields();
  return owners.get(key) ?? [];
}

function ownersOfFields(): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, string[]>();
  for (const [type, { schema }] of Object.entries(STEP_TYPES))
    for (const key of Object.keys(schema().shape)) map.set(key, [...(map.get(key) ?? []), type]);
  return map;
}
