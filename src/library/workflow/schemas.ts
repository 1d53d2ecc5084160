// Schemas of inputs and outputs: of any library that follows the Standard Schema, or as JSON Schema. A file says the same
// with fields that have a type each.
import { isMapping, type JsonSchema, type Mapping } from "../../errors/mapping.ts";
import { FIELD_TYPES } from "../../steps/schema/readings.ts";
import { type AnySchema, isStandardSchema, type JsonSchemaLike, jsonSchemaOf } from "../standard-schema.ts";

type Said = (schema: JsonSchemaLike, isRequired: boolean, where: string) => Mapping;

/** The fields of an object's schema, each as `say` says it. */
function fieldsOf(schema: AnySchema, where: string, say: Said): Mapping {
  const json = isStandardSchema(schema) ? jsonSchemaOf(schema) : schema;
  if (!isMapping(json) || !isMapping(json.properties ?? {}))
    throw new TypeError(`${where} is the schema of an object: of zod, valibot or arktype, or a JSON Schema`);
  if (isStandardSchema(schema) && json.properties === undefined)
    throw new TypeError(
      `${where} is a schema that cannot be given as JSON Schema, so its fields are not known: give one of zod or arktype, or a JSON Schema`,
    );
  const { properties = {}, required = [] } = json as JsonSchemaLike;
  const said = (name: string, one: JsonSchemaLike) => say(one, required.includes(name), `\`${name}\` of ${where}`);
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, said(name, one)]));
}

/** As `output:` of a step says them. */
export const outputFields = (schema: AnySchema, where: string): Mapping =>
  fieldsOf(schema, where, (one, isRequired, place) => ({
    ...field(one, place),
    ...(isRequired ? {} : { required: false }),
  }));

/** As a workflow's inputs, which have a type each and nothing more. */
export const inputFields = (schema: AnySchema, where: string): Mapping =>
  fieldsOf(schema, where, (one, isRequired, place) => {
    const { default: initial, description, secret } = one;
    return {
      type: field(one, place).type,
      ...(isRequired || initial !== undefined ? {} : { required: false }),
      ...(initial === undefined ? {} : { default: initial }),
      ...(typeof description === "string" ? { description } : {}),
      ...(secret === true ? { secret } : {}),
    };
  });

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
  const named = schema.type ?? typeof (Array.isArray(known) ? known[0] : undefined);
  const type = named === "integer" ? "number" : FIELD_TYPES.find((one) => one === named);
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
