// The whole language as JSON Schema, for editors: the same source that files are held against.
import * as z from "zod";
import { forEachGroup, parallelGroup } from "./schema/groups.ts";
import { STEP_TYPES, workflowFile } from "./schema/index.ts";
import { STEP_TYPE_NAMES } from "./schema/names.ts";
import { metaOf } from "./schema-at.ts";

type Json = Record<string, unknown>;

const written = (schema: z.ZodType): Json =>
  z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: json }) => tidy(zodSchema, json as Json),
  }) as Json;

/** JSON Schema, draft 2020-12, of a workflow file. */
export function jsonSchema(): Json {
  const { $schema, ...schema } = written(workflowFile()) as Json & { properties: Json };
  const { agents, ...properties } = schema.properties;
  return {
    $schema,
    title: "Segno workflow",
    description: "A workflow of agents, scripts, HTTP and MCP calls whose errors are typed and routed.",
    ...schema,
    properties: {
      ...properties,
      agents,
      steps: { ...(agents as Json), description: "The steps: a synonym of `agents`." },
    },
  };
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
  delete json.expects;
  delete json.scalars;
  delete json.unsupported;
  delete json.unsupportedMapping;
  delete json.judged;
  if (scalars && json.type === "string") json.type = ["string", "number", "boolean"];
  if (unsupported) {
    json.deprecated = true;
    json.description = [json.description, `Has no effect: ${unsupported}.`].filter(Boolean).join(" ");
  }
}
