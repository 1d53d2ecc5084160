// JSON Schemas of own steps that need no library to be read: types, fields, lists and words. Most say no more than that,
// and loading the library takes longer than a short run.
import { isMapping, type JsonSchema } from "../../errors/mapping.ts";

/** A value that does not fit is not judged here: the library says why it does not, or finds that it does. */
export type PlainSchema = (value: unknown) => boolean;

/** Keywords that say nothing about whether a value fits. */
const WORDS_FOR_PEOPLE = ["title", "description", "examples", "$schema"];

const SCALARS: Readonly<Record<string, PlainSchema>> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number" && Number.isFinite(value),
  integer: (value) => Number.isSafeInteger(value),
  null: (value) => value === null,
};

/** Tells whether a value surely fits; nothing when the schema says more than can be told here. */
export function plainSchema(schema: unknown): PlainSchema | undefined {
  if (!isMapping(schema)) return undefined;
  const { type } = schema;
  const says = Object.keys(schema).filter((key) => key !== "type" && !WORDS_FOR_PEOPLE.includes(key));
  const saysOnly = (...keys: readonly string[]): boolean => says.every((key) => keys.includes(key));
  if (type === undefined) return saysOnly() ? () => true : undefined;
  if (type === "object") return saysOnly("properties", "required") ? objectOf(schema) : undefined;
  if (type === "array") return saysOnly("items") ? listOf(schema.items) : undefined;
  if (type === "string" && Array.isArray(schema.enum) && saysOnly("enum")) return wordOf(schema.enum);
  return typeof type === "string" && Object.hasOwn(SCALARS, type) && saysOnly() ? SCALARS[type] : undefined;
}

function objectOf({ properties = {}, required = [] }: JsonSchema): PlainSchema | undefined {
  if (!isMapping(properties) || !Array.isArray(required)) return undefined;
  const fields = new Map<string, PlainSchema>();
  for (const [name, field] of Object.entries(properties)) {
    const plain = plainSchema(field);
    if (!plain) return undefined;
    fields.set(name, plain);
  }
  return (value) =>
    isMapping(value) &&
    required.every((name) => Object.hasOwn(value, String(name))) &&
    Object.keys(value).every((name) => fields.get(name)?.(value[name]));
}

function listOf(items: unknown): PlainSchema | undefined {
  const plain = items === undefined ? () => true : plainSchema(items);
  return plain && ((value) => Array.isArray(value) && value.every(plain));
}

function wordOf(words: readonly unknown[]): PlainSchema | undefined {
  return words.length > 0 && words.every((word) => typeof word === "string")
    ? (value) => (words as readonly unknown[]).includes(value)
    : undefined;
}
