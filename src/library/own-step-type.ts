// An own step in the shapes that the language and the engine ask for. Loaded only when there is one: it needs zod.
import * as z from "zod";
import { cache, routed, timeout } from "../language/schema/fields.ts";
import type { StepTypeEntry } from "../language/schema/index.ts";
import { BadValue, type Executor } from "../steps/executor.ts";
import { renderValue } from "../steps/values.ts";
import type { JsonSchema, OwnStep } from "./own-step.ts";

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

export function languageEntry({ type, description, schema }: OwnStep): StepTypeEntry {
  const { properties = {}, required = [] } = schema as ObjectSchema;
  const taken = Object.keys(properties).find((name) => name === "type" || name in COMMON);
  if (taken) throw new TypeError(`the field ${taken} of ${type} is one that every step has; give it another name`);
  let made: z.ZodObject | undefined;
  const build = (): z.ZodObject =>
    z
      .strictObject({
        type: z.literal(type).describe(description),
        ...COMMON,
        ...Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fieldOf(field)])),
      })
      .superRefine((step, context) => {
        for (const name of required)
          if (step[name as keyof typeof step] === undefined)
            context.addIssue({
              code: "custom",
              path: [],
              params: { rule: "missing-key", key: name },
              message: `a ${type} step needs \`${name}\`: ${expects(properties[name] ?? {})}.`,
            });
      });
  return { schema: () => (made ??= build()), description };
}

const COMMON = { ...routed, timeout, cache };

/** As written it may still be a template; then it is held against its schema once it has been rendered. */
const fieldOf = (schema: JsonSchema) => {
  const whole = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  return z
    .unknown()
    .refine((value) => value === undefined || hasTemplate(value) || whole.safeParse(value).success, {
      params: { expects: true },
    })
    .optional()
    .meta({ description: String(schema.description ?? ""), expects: expects(schema) });
};

export function executorOf({ type, version, schema, execute }: OwnStep): Executor<never, unknown> {
  const { properties = {} } = schema as ObjectSchema;
  const whole = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  const executor: Executor<Fields, object> = {
    type,
    version,
    prepare(step, { names }) {
      const given = Object.keys(properties).filter((name) => step[name] !== undefined);
      const values = Object.fromEntries(given.map((name) => [name, renderValue(step[name], names, "kept")]));
      const checked = whole.safeParse(values);
      if (checked.success) return checked.data as object;
      const [issue] = checked.error.issues;
      const field = issue?.path.join(".") || type;
      throw new BadValue(field, values[String(issue?.path[0])], issue?.message ?? "it does not fit its schema");
    },
    execute: (values, { node, attempt, idempotencyKey, signal, clock, workflow: { name, file, dir } }) =>
      execute(values, { node, attempt, idempotencyKey, signal, clock, workflow: { name, file, dir } }),
  };
  return executor as Executor<never, unknown>;
}

function hasTemplate(value: unknown): boolean {
  if (typeof value === "string") return value.includes("{{") || value.includes("{%");
  return typeof value === "object" && value !== null && Object.values(value).some(hasTemplate);
}

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
