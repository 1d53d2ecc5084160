// The whole language as JSON Schema, for editors: the same source that files are held against.
import * as z from "zod";
import { workflowFile } from "./schema/index.ts";
import { metaOf } from "./schema-at.ts";

type Json = Record<string, unknown>;

/** JSON Schema, draft 2020-12, of a workflow file. */
export function jsonSchema(): Json {
  const { $schema, ...schema } = z.toJSONSchema(workflowFile(), {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: json }) => tidy(zodSchema, json as Json),
  }) as Json & { properties: Json };
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

/** Takes out what only the loader understands, and says in words what it meant. */
function tidy(schema: z.core.$ZodType, json: Json): void {
  const { scalars, unsupported } = metaOf(schema);
  delete json.expects;
  delete json.scalars;
  delete json.unsupported;
  delete json.judged;
  if (scalars && json.type === "string") json.type = ["string", "number", "boolean"];
  if (unsupported) {
    json.deprecated = true;
    json.description = [json.description, `Has no effect: ${unsupported}.`].filter(Boolean).join(" ");
  }
}
