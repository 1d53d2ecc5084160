// Schemas of inputs and outputs: of any library that follows the Standard Schema, or as JSON Schema. A file says the same
// with fields that have a type each.
import { isMapping, type JsonSchema, type Mapping } from "../../errors/mapping.ts";
import { FIELD_TYPES } from "../../steps/schema/readings.ts";
import { isStandardSchema, jsonSchemaOf, type StandardSchema } from "../standard-schema.ts";

/** A JSON Schema, whose literals the compiler keeps. */
export interface JsonSchemaLike {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchemaLike>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchemaLike;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

export type AnySchema = StandardSchema | JsonSchemaLike;

/** `Always` are keywords of a field that say that it is there. */
type OfJson<Schema, Always = never> = Schema extends { readonly enum: readonly (infer One)[] }
  ? One
  : Schema extends { readonly type: "string" }
    ? string
    : Schema extends { readonly type: "number" | "integer" }
      ? number
      : Schema extends { readonly type: "boolean" }
        ? boolean
        : Schema extends { readonly type: "array"; readonly items: infer Item }
          ? readonly OfJson<Item, Always>[]
          : Schema extends { readonly properties: infer Fields }
            ? Flat<
                { readonly [Name in RequiredIn<Schema, Fields, Always>]: OfJson<Fields[Name], Always> } & {
                  readonly [Name in Exclude<keyof Fields, RequiredIn<Schema, Fields, Always>>]?: OfJson<
                    Fields[Name],
                    Always
                  >;
                }
              >
            : unknown;

type RequiredIn<Schema, Fields, Always> =
  | (Schema extends { readonly required: readonly (infer Name)[] } ? Extract<keyof Fields, Name> : never)
  | { [Name in keyof Fields]: keyof Fields[Name] & Always extends never ? never : Name }[keyof Fields];

type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** What a schema gives. */
export type Kept<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : OfJson<Schema, "default">;

/** What a schema takes: fields with a default may be left out. */
export type Taken<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>["input"]
  : OfJson<Schema>;

/** The fields of an object's schema, as `output:` of a step says them. */
export function outputFields(schema: AnySchema, where: string): Mapping {
  const { properties = {}, required = [] } = objectSchema(schema, where);
  return Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [
      name,
      { ...field(one, `\`${name}\` of ${where}`), ...(required.includes(name) ? {} : { required: false }) },
    ]),
  );
}

/** The same of a workflow's inputs, which have a type each and nothing more. */
export function inputFields(schema: AnySchema, where: string): Mapping {
  const { properties = {}, required = [] } = objectSchema(schema, where);
  return Object.fromEntries(
    Object.entries(properties).map(([name, one]) => {
      const { type } = field(one, `\`${name}\` of ${where}`);
      const { default: initial, description, secret } = one;
      const isRequired = required.includes(name) && initial === undefined;
      return [
        name,
        {
          type,
          ...(isRequired || initial !== undefined ? {} : { required: false }),
          ...(initial === undefined ? {} : { default: initial }),
          ...(typeof description === "string" ? { description } : {}),
          ...(secret === true ? { secret } : {}),
        },
      ];
    }),
  );
}

function objectSchema(schema: AnySchema, where: string): JsonSchemaLike {
  const json = isStandardSchema(schema) ? jsonSchemaOf(schema) : schema;
  if (isStandardSchema(schema) && isMapping(json) && json.properties === undefined)
    throw new TypeError(
      `${where} is a schema that cannot be given as JSON Schema, so its fields are not known: give one of zod or arktype, or a JSON Schema`,
    );
  if (!isMapping(json) || !isMapping(json.properties ?? {}))
    throw new TypeError(`${where} is the schema of an object: of zod, valibot or arktype, or a JSON Schema`);
  return json as JsonSchemaLike;
}

/** Keywords that a field of a file has under the same names. */
const SAME = ["description", "pattern", "minimum", "maximum", "minLength", "maxLength"] as const;

function field(schema: JsonSchemaLike, where: string): Mapping {
  const { anyOf, enum: values, const: only, items, properties } = schema as JsonSchema;
  if (Array.isArray(anyOf)) {
    const [first, ...others] = anyOf.filter((one: JsonSchema) => one.type !== "null");
    if (first && others.length === 0)
      return { ...field(first, where), ...(anyOf.length > 1 ? { nullable: true } : {}) };
  }
  const known = only === undefined ? values : [only];
  const type = typeName(schema.type ?? typeof (Array.isArray(known) ? known[0] : undefined));
  if (type === undefined)
    throw new TypeError(
      `${where} has no single type that a workflow knows: ${FIELD_TYPES.join(", ")}. Describe it with one of these`,
    );
  return {
    type,
    ...Object.fromEntries(SAME.flatMap((key) => (says(schema[key]) ? [[key, schema[key]]] : []))),
    ...(Array.isArray(known) ? { enum: known } : {}),
    ...(isMapping(items) && Object.keys(items).length > 0 ? { items: field(items, `${where}[]`) } : {}),
    ...(isMapping(properties) ? { properties: outputFields(schema, where) } : {}),
  };
}

/** Bounds of whole numbers as such say nothing. */
const says = (value: unknown): boolean =>
  value !== undefined && !(typeof value === "number" && Math.abs(value) >= Number.MAX_SAFE_INTEGER);

const typeName = (type: unknown): string | undefined =>
  type === "integer" ? "number" : FIELD_TYPES.find((one) => one === type);
