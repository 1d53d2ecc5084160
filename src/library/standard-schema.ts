// Schemas of zod, valibot, arktype and others, by the interface that they share (standardschema.dev): what Segno needs of it.
import type { JsonSchema } from "../errors/mapping.ts";
import { isMapping } from "../errors/mapping.ts";

/** A schema of any library that follows the Standard Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema gives for what it was given. */
export type OutputOfSchema<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

export const isStandardSchema = (schema: unknown): schema is StandardSchema =>
  (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;

/** A schema of either kind. */
export type AnySchema = StandardSchema | JsonSchema;

/** What a schema of either kind makes of what it is given: a JSON Schema has no type for the compiler. */
export type ReadBy<Schema extends AnySchema, Given> = Schema extends StandardSchema ? OutputOfSchema<Schema> : Given;

/** What is known of a schema that does not say its JSON Schema: any field may be there. */
const ANY_FIELDS: JsonSchema = { type: "object", additionalProperties: true };

/** The JSON Schema of what it takes, for what is known of a file before it runs; of any shape when it does not say it. */
export function jsonSchemaOf(schema: StandardSchema): JsonSchema {
  const { jsonSchema } = schema["~standard"] as StandardSchema["~standard"] & {
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => unknown };
  };
  try {
    const json = jsonSchema?.input({ target: "draft-2020-12" });
    if (!isMapping(json)) return ANY_FIELDS;
    const { $schema: _, ...rest } = json;
    return rest;
  } catch {
    // Not everything that can be checked can be said in JSON Schema.
    return ANY_FIELDS;
  }
}

/** What a schema of either kind makes of a value, or why it refuses it. */
export async function readBy(
  schema: AnySchema,
  value: object,
): Promise<{ readonly value: unknown } | { readonly refused: readonly string[] }> {
  if (isStandardSchema(schema)) {
    const read = await schema["~standard"].validate(value);
    return read.issues ? { refused: read.issues.map(issueText) } : { value: read.value };
  }
  const { checkedBySchema } = await import("../services/own-steps/own-step-schema.ts");
  const read = checkedBySchema(schema, value as Readonly<Record<string, unknown>>);
  return read.ok ? { value: read.values } : { refused: [issueText(read)] };
}

/** `text: too short`. */
export const issueText = ({ message, path = [] }: StandardIssue): string => {
  const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return place === "" ? message : `${place}: ${message}`;
};
