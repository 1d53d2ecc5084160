// The whole language as JSON Schema, for editors: the same source that files are held against.
import * as z from "zod";
import type { JsonSchema } from "../base/errors/mapping.ts";
import { STEP_TYPE_NAMES, type StepTypes } from "../steps/types.ts";
import { forEachGroup, parallelGroup, STEP_TYPES, workflowFile } from "./schema/index.ts";
import { ABOUT_LISTS } from "./schema/names.ts";
import { metaOf } from "./schema-at.ts";

type Json = Record<string, unknown>;

const written = (schema: z.ZodType): Json =>
  z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: json }) => tidy(zodSchema, json as Json),
  }) as Json;

/** JSON Schema, draft 2020-12, of a workflow file; with `own` step types beside the language's. */
export function jsonSchema(own: StepTypes = {}): Json {
  // Written together, so that what both name is defined once.
  const together = z.object({
    file: workflowFile(),
    ...Object.fromEntries(Object.entries(own).map(([type, { schema }]) => [`own ${type}`, schema()])),
  });
  const { $schema, $defs, properties: parts } = written(together) as Json & { $defs: Json; properties: Json };
  const { file, ...others } = parts as Record<string, Json>;
  const schema = { ...(file as Json & { properties: Json }), $defs: withOwnTypes($defs, others, own) };
  const { agents, ...properties } = schema.properties;
  return {
    $schema,
    title: "Segno workflow",
    description: "A workflow of agents, scripts, HTTP and MCP calls whose errors are typed and routed.",
    ...schema,
    properties: { ...properties, agents, steps: { ...(agents as Json), description: ABOUT_LISTS.steps } },
  };
}

/** The definitions with a step for each own type, which any list of steps may then hold. */
function withOwnTypes(defs: Json, parts: Readonly<Record<string, Json>>, own: StepTypes): Json {
  const named = Object.entries(own).map(([type, { fields }]) => {
    const part = parts[`own ${type}`] ?? {};
    return [ownName(type), { ...part, properties: { ...(part.properties as Json), ...templated(fields) } }] as const;
  });
  const { Step: step, ...rest } = defs as Record<string, Json>;
  const references = named.map(([name]) => ({ $ref: `#/$defs/${name}` }));
  return {
    ...rest,
    Step: { ...step, oneOf: [...((step?.oneOf as Json[] | undefined) ?? []), ...references] },
    ...Object.fromEntries(named),
  };
}

/** `send_mail` is `SendMailStep`. */
const ownName = (type: string): string =>
  `${type.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}Step`;

/** Each field as its author describes it, or a template that becomes it. */
function templated(fields: JsonSchema = {}): Json {
  const { properties = {} } = fields as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { description, ...field }]) => [
      name,
      { ...(description === undefined ? {} : { description }), anyOf: [field, { type: "string", pattern: "\\{[{%]" }] },
    ]),
  );
}

/** What stands under `agents:`, and the two kinds of groups. */
export const NODE_TYPES = [...STEP_TYPE_NAMES, "parallel", "for_each"] as const;
export type NodeType = (typeof NODE_TYPES)[number];

/** JSON Schema of one type of step, or of a group. */
export function nodeSchema(type: NodeType): Json {
  switch (type) {
    case "parallel":
      return opened(written(parallelGroup()));
    case "for_each":
      // Any step can be its member: what each takes stands in the schema of its own type.
      return opened(
        written(forEachGroup().extend({ agent: z.looseObject({}).describe("The step that runs for each item.") })),
      );
    default:
      return opened(written(STEP_TYPES[type].schema()));
  }
}

/** A schema with a name of its own is written as a reference to itself. */
function opened({ $ref, $defs, ...schema }: Json): Json {
  const defs = { ...($defs as Readonly<Record<string, Json>> | undefined) };
  const name = typeof $ref === "string" ? $ref.split("/").at(-1) : undefined;
  const whole = name === undefined ? undefined : defs[name];
  if (name !== undefined) delete defs[name];
  return { ...schema, ...whole, ...(Object.keys(defs).length > 0 ? { $defs: defs } : {}) };
}

/** Takes out what only the loader understands, and says in words what it meant. */
function tidy(schema: z.core.$ZodType, json: Json): void {
  const { scalars, unsupported } = metaOf(schema);
  for (const key of ["expects", "isSecret", "scalars", "unsupported", "unsupportedMapping", "judged", "takesAnyKey"])
    delete json[key];
  if (scalars && json.type === "string") json.type = ["string", "number", "boolean"];
  if (unsupported) {
    json.deprecated = true;
    json.description = [json.description, `Has no effect: ${unsupported}.`].filter(Boolean).join(" ");
  }
}
