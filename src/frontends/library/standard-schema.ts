// Schemas of zod, valibot, arktype and others, by the interface that they share (standardschema.dev): what Segno needs of it.
import { isMapping, type JsonSchema } from "../../base/errors/mapping.ts";

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

export const isStandardSchema = (schema: unknown): schema is StandardSchema =>
  (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;

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

/** A schema of either kind. */
export type AnySchema = StandardSchema | JsonSchemaLike;

/** What a schema gives. */
export type Kept<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : OfJson<Schema, "default">;

/** What a schema takes: fields with a default may be left out. */
export type Taken<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>["input"]
  : OfJson<Schema>;

/** What a schema gives, or `Otherwise` where it does not say. */
export type KeptOr<Schema, Otherwise> = unknown extends Kept<Schema> ? Otherwise : Kept<Schema>;

type ByType = { string: string; number: number; integer: number; boolean: boolean };

/** `Always` are keywords of a field that say that it is there. */
type OfJson<Schema, Always = never> = Schema extends { readonly enum: readonly (infer One)[] }
  ? One
  : Schema extends { readonly type: infer Type extends keyof ByType }
    ? ByType[Type]
    : Schema extends { readonly type: "array"; readonly items: infer Item }
      ? readonly OfJson<Item, Always>[]
      : Schema extends { readonly properties: infer Fields }
        ? OfFields<Fields, RequiredIn<Schema, Fields, Always>, Always>
        : unknown;

type OfFields<Fields, Needed extends keyof Fields, Always> = Flat<
  { readonly [Name in Needed]: OfJson<Fields[Name], Always> } & {
    readonly [Name in Exclude<keyof Fields, Needed>]?: OfJson<Fields[Name], Always>;
  }
>;

type RequiredIn<Schema, Fields, Always> =
  | (Schema extends { readonly required: readonly (infer Name)[] } ? Extract<keyof Fields, Name> : never)
  | { [Name in keyof Fields]: keyof Fields[Name] & Always extends never ? never : Name }[keyof Fields];

export type Flat<Type> = { [Name in keyof Type]: Type[Name] };

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
  const { checkedBySchema } = await import("../../services/own-steps/own-step-schema.ts");
  const read = checkedBySchema(schema, value as Readonly<Record<string, unknown>>);
  return read.ok ? { value: read.values } : { refused: [issueText(read)] };
}

/** `text: too short`. */
export const issueText = ({ message, path = [] }: StandardIssue): string => {
  const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return place === "" ? message : `${place}: ${message}`;
};
