// An own step as a step type.
import { isMapping, type JsonSchema } from "../../base/errors/mapping.ts";
import { isOfEveryStep, MISFIT, OWN_STEP, readPart } from "../../language/quick/by-shape.ts";
import type { Step } from "../../language/schema/index.ts";
import { takesAnyField } from "../../language/schema/names.ts";
import { FIELD_TYPES } from "../../steps/schema/readings.ts";
import { BadValue, type Executor, type StepType } from "../../steps/step-type.ts";
import { type DeclaredField, isTemplated, renderFields } from "../../steps/values.ts";
import type { OwnStep } from "./own-step.ts";
import { checkedBySchema, ownStepSchema, requireSchema } from "./own-step-schema.ts";

type Fields = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, JsonSchema>>;

const propertiesOf = ({ properties = {} }: { readonly properties?: Properties }): Properties => properties;

export function ownStepType(own: OwnStep): StepType {
  const { type, description, schema, version } = own;
  const taken = Object.keys(propertiesOf(schema)).find(isOfEveryStep);
  if (taken) throw new TypeError(`the field ${taken} of ${type} is one that every step has; give it another name`);
  let made: ReturnType<typeof ownStepSchema> | undefined;
  const executor = ownExecutor(own);
  return {
    description,
    version,
    fields: schema,
    quick: quickReader(own) as StepType["quick"],
    schema: () => (made ??= ownStepSchema(own)),
    executor: () => Promise.resolve(executor),
  };
}

/** Reads a step in which everything is right; nothing when the schema has to be asked. */
function quickReader({ type, schema }: OwnStep): (item: Fields) => Step | undefined {
  const fields = Object.entries(propertiesOf(schema)).map(([name, field]) => [name, plainSchema(field)] as const);
  const names = new Set(fields.map(([name]) => name));
  const required = (schema.required ?? []) as readonly string[];
  const isCommon = takesAnyField(schema) ? isOfEveryStep : (name: string) => !names.has(name);
  return ({ type: _, ...item }) => {
    if (!required.every((name) => item[name] !== undefined)) return undefined;
    const common = Object.fromEntries(Object.entries(item).filter(([name]) => isCommon(name)));
    const read = readPart(OWN_STEP, common);
    if (read === MISFIT) return undefined;
    const step: Record<string, unknown> = { type, ...(read as Fields) };
    for (const [name, fits] of fields) {
      const value = item[name];
      if (value === undefined) continue;
      if (!isTemplated(value) && !fits?.(value)) return undefined;
      step[name] = value;
    }
    for (const name of Object.keys(item)) if (!isCommon(name) && !names.has(name)) step[name] = item[name];
    return step as unknown as Step;
  };
}

/** The type that a schema names, and of what is inside; nothing where it names none, or several. */
function declaredField(schema: JsonSchema | undefined): DeclaredField | undefined {
  const { type, properties, items } = (schema ?? {}) as { type?: unknown; properties?: Properties; items?: JsonSchema };
  const known = type === "integer" ? "number" : FIELD_TYPES.find((one) => one === type);
  if (known === undefined) return undefined;
  const inside = Object.entries(properties ?? {}).map(([name, one]) => [name, declaredField(one)] as const);
  return { type: known, properties: properties && Object.fromEntries(inside), items: declaredField(items) };
}

function ownExecutor({ type, version, schema, execute }: OwnStep): Executor<never, unknown> {
  const properties = propertiesOf(schema);
  const names = Object.keys(properties);
  const declared = Object.fromEntries(names.map((name) => [name, declaredField(properties[name])]));
  const isOpen = takesAnyField(schema);
  const fits: PlainSchema | undefined = plainSchema(schema);
  if (!fits) requireSchema(schema);
  /** The step's own fields, as the file has them: a loop asks for them again and again. */
  const known = new WeakMap<Fields, Fields>();
  const writtenIn = (step: Fields): Fields => {
    let written = known.get(step);
    if (!written) {
      const own = isOpen ? Object.keys(step).filter((name) => !isOfEveryStep(name)) : names;
      written = Object.fromEntries(own.filter((name) => step[name] !== undefined).map((name) => [name, step[name]]));
      known.set(step, written);
    }
    return written;
  };
  const executor: Executor<Fields, object> = {
    type,
    version,
    prepare(step, { names: scope }) {
      const values = renderFields(declared, writtenIn(step), scope, "kept");
      if (fits?.(values)) return values;
      const checked = checkedBySchema(schema, values);
      if (checked.ok) return checked.values;
      const field = checked.path.join(".") || type;
      throw new BadValue(field, values[String(checked.path[0])], `it ${checked.message}`);
    },
    execute: (values, { node, attempt, idempotencyKey, signal, clock, workflow: { name, file, dir } }) =>
      execute(values, { node, attempt, idempotencyKey, signal, clock, workflow: { name, file, dir } }),
  };
  return executor as Executor<never, unknown>;
}

// JSON Schemas of own steps that need no library to be read: types, fields, lists and words. Most say no more than that,
// and loading the library takes longer than a short run.

/** A value that does not fit is not judged here: the library says why it does not, or finds that it does. */
type PlainSchema = (value: unknown) => boolean;

/** Keywords that say nothing about whether a value fits. */
const WORDS_FOR_PEOPLE = ["title", "description", "examples", "$schema"];

const SCALARS: Readonly<Record<string, PlainSchema>> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number" && Number.isFinite(value),
  integer: (value) => Number.isSafeInteger(value),
  null: (value) => value === null,
};

/** Tells whether a value surely fits; nothing when the schema uses more than this can judge. */
export function plainSchema(schema: unknown): PlainSchema | undefined {
  if (!isMapping(schema)) return undefined;
  const { type } = schema;
  const says = Object.keys(schema).filter((key) => key !== "type" && !WORDS_FOR_PEOPLE.includes(key));
  const saysOnly = (...keys: readonly string[]): boolean => says.every((key) => keys.includes(key));
  if (type === undefined) return saysOnly() ? () => true : undefined;
  if (type === "object") {
    const isOpen = takesAnyField(schema);
    return saysOnly("properties", "required", ...(isOpen ? ["additionalProperties"] : []))
      ? objectOf(schema, isOpen)
      : undefined;
  }
  if (type === "array") return saysOnly("items") ? listOf(schema.items) : undefined;
  if (type === "string" && Array.isArray(schema.enum) && saysOnly("enum")) return wordOf(schema.enum);
  return typeof type === "string" && Object.hasOwn(SCALARS, type) && saysOnly() ? SCALARS[type] : undefined;
}

function objectOf({ properties = {}, required = [] }: JsonSchema, isOpen: boolean): PlainSchema | undefined {
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
    Object.keys(value).every((name) => (fields.has(name) ? fields.get(name)?.(value[name]) : isOpen));
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
