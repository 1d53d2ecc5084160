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

/** The JSON Schema of what it takes: the names of its fields are needed before anything runs. */
export function jsonSchemaOf(schema: StandardSchema, call: string): JsonSchema {
  const { vendor, jsonSchema } = schema["~standard"] as StandardSchema["~standard"] & {
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => unknown };
  };
  if (!jsonSchema)
    throw new TypeError(
      `\`schema\` of ${call} is one of ${vendor} that cannot say its JSON Schema (\`~standard.jsonSchema\`); use a newer ${vendor}, or give the JSON Schema itself`,
    );
  const json = jsonSchema.input({ target: "draft-2020-12" });
  if (!isMapping(json)) throw new TypeError(`\`schema\` of ${call} gave a JSON Schema that is no object`);
  const { $schema: _, ...rest } = json;
  return rest;
}

/** `text: too short`. */
export const issueText = ({ message, path = [] }: StandardIssue): string => {
  const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return place === "" ? message : `${place}: ${message}`;
};
