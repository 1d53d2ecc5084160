// An own step's schema in the library that reads schemas. Loaded only for a value that does not fit, or a schema that
// says more than plain types: the build puts a door in place of this file, so it exports functions only.
import * as z from "zod";
import type { JsonSchema } from "../../base/errors/mapping.ts";
import { misfitOf } from "../../base/errors/misfit.ts";
import { withArticle } from "../../base/errors/who-handles.ts";
import { takesAnyField } from "../../language/schema/names.ts";
import { cache, routed, timeout } from "../../steps/schema/fields.ts";
import { isTemplated } from "../../steps/values.ts";
import type { OwnStep } from "./own-step.ts";

type Fields = Readonly<Record<string, unknown>>;

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

const wholes = new WeakMap<JsonSchema, z.ZodType>();

function wholeOf(schema: JsonSchema): z.ZodType {
  let whole = wholes.get(schema);
  if (!whole) {
    whole = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    wholes.set(schema, whole);
  }
  return whole;
}

/** Throws for what is no JSON Schema. */
export function requireSchema(schema: JsonSchema): void {
  wholeOf(schema);
}

type Checked =
  | { readonly ok: true; readonly values: object }
  | { readonly ok: false; readonly path: readonly PropertyKey[]; readonly message: string };

/** Rendered values as the schema reads them. */
export function checkedBySchema(schema: JsonSchema, values: Fields): Checked {
  const checked = wholeOf(schema).safeParse(values);
  if (checked.success) return { ok: true, values: checked.data as object };
  const [issue] = checked.error.issues;
  const { path, wanted } = issue ? misfitOf(issue, values) : { path: [], wanted: "must fit its schema" };
  return { ok: false, path, message: wanted };
}

/** What a file may say of such a step. */
export function ownStepSchema({ type, description, schema }: OwnStep): z.ZodObject {
  const { properties = {}, required = [] } = schema as ObjectSchema;
  const fields = {
    type: z.literal(type).describe(description),
    ...routed,
    timeout,
    cache,
    ...Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fieldOf(field)])),
  };
  return (takesAnyField(schema) ? z.looseObject(fields) : z.strictObject(fields)).superRefine((step, context) => {
    for (const name of required)
      if (step[name as keyof typeof step] === undefined)
        context.addIssue({
          code: "custom",
          path: [],
          params: { rule: "missing-key", key: name },
          message: `${withArticle(`${type} step`)} needs \`${name}\`: ${expects(properties[name] ?? {})}.`,
        });
  });
}

/** As written it may still be a template; then it is held against its schema once it has been rendered. */
const fieldOf = (schema: JsonSchema) =>
  z
    .unknown()
    .refine((value) => value === undefined || isTemplated(value) || wholeOf(schema).safeParse(value).success, {
      params: { expects: true },
    })
    .optional()
    .meta({ description: String(schema.description ?? ""), expects: expects(schema) });

const WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
};

function expects(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.map(String).join(", ")}`;
  return WORDS[String(schema.type)] ?? "what its schema says";
}
