// `output:` as JSON Schema, for providers that can hold a model to one, and the envelope an agent may answer with.
import type { JsonSchema } from "../errors/mapping.ts";
import type { OutputField } from "../language/schema/index.ts";
import type { OutputFields } from "./output-schema.ts";

export function toJsonSchema(fields: OutputFields): JsonSchema {
  return mapping(fields);
}

/** The output, or an envelope of one of the kinds that the agent may raise. */
export function outputOrEnvelope(fields: OutputFields, kinds: readonly string[]): JsonSchema {
  return { anyOf: [toJsonSchema(fields), envelopeSchema(kinds)] };
}

function envelopeSchema(kinds: readonly string[]): JsonSchema {
  return {
    type: "object",
    properties: {
      conductor_error: { const: true },
      kind: kinds.length > 0 ? { type: "string", enum: kinds } : { type: "string" },
      message: { type: "string", description: "What happened, for people." },
      details: { type: "object", description: "Whatever helps to deal with it." },
    },
    required: ["conductor_error", "kind", "message"],
  };
}

function mapping(fields: OutputFields): JsonSchema {
  const required = Object.entries(fields).flatMap(([name, field]) => (field.required === false ? [] : [name]));
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, ofField(field)]));
  return { type: "object", properties, required };
}

function ofField(field: OutputField): JsonSchema {
  const { type, items, properties, nullable, required: _, ...rest } = field;
  const base = type === "object" && properties ? mapping(properties) : {};
  const values = rest.enum && nullable ? { enum: [...rest.enum, null] } : {};
  return {
    ...base,
    ...rest,
    ...values,
    ...(items ? { items: ofField(items) } : {}),
    type: nullable ? [type, "null"] : type,
  };
}
