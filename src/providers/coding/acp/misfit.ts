// Whether an answer fits the JSON Schema of a step's `output:`, said to the agent while it can still put it right. The step
// itself checks the answer once more, and has the last word.
import { isDeepStrictEqual } from "node:util";
import { isMapping, type JsonSchema } from "../../../errors/mapping.ts";

/** What is wrong, in words; undefined when it fits. */
export function misfit(value: unknown, schema: JsonSchema, place = "the answer"): string | undefined {
  const { anyOf, const: only, enum: values, type } = schema;
  if (Array.isArray(anyOf)) {
    const problems = anyOf.filter(isMapping).map((one) => misfit(value, one, place));
    return problems.includes(undefined) ? undefined : problems.join(", or ");
  }
  if (only !== undefined && value !== only) return `${place} is not ${JSON.stringify(only)}`;
  if (Array.isArray(values) && !values.some((one) => isDeepStrictEqual(one, value)))
    return `${place} is none of ${values.map((one) => JSON.stringify(one)).join(", ")}`;
  const types = [type].flat().filter((one) => typeof one === "string");
  if (types.length > 0 && !types.some((one) => isOfType(value, one)))
    return `${place} is not of type ${types.join(" or ")}`;
  if (Array.isArray(value) && isMapping(schema.items)) return firstMisfit(value.entries(), () => schema.items, place);
  if (!isMapping(value)) return undefined;
  const properties = isMapping(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${place} has no ${JSON.stringify(missing)}`;
  const extra = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
  if (schema.additionalProperties === false && extra !== undefined)
    return `${place} may not have ${JSON.stringify(extra)}`;
  return firstMisfit(Object.entries(value), (name) => properties[name], place);
}

function firstMisfit(
  entries: Iterable<readonly [string | number, unknown]>,
  schemaOf: (name: string | number) => unknown,
  place: string,
): string | undefined {
  for (const [name, value] of entries) {
    const schema = schemaOf(name);
    const problem = isMapping(schema) ? misfit(value, schema, `${place}.${name}`) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isMapping(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}
