// The JSON Schema of workflow files, of one type of step, or of results.
import { z } from "zod";
import { languageSchema, NODE_TYPES, nodeSchema, schemaOfResult } from "../../services/schema.ts";
import { defineTool } from "../tool.ts";

export const schemaGet = defineTool({
  name: "schema_get",
  title: "Get a schema",
  description:
    "A JSON Schema. With `type` that of one type of step or group, which is usually enough; else the whole workflow file, or with `of: result` the object that runs are answered with.",
  input: z.strictObject({
    of: z.enum(["workflow", "result"]).default("workflow").describe("which schema"),
    type: z.enum(NODE_TYPES).optional().describe("one type of step or group"),
  }),
  output: () => ({ type: "object" }),
  annotations: { readOnlyHint: true },
  async run({ of, type }, { surroundings }) {
    const object = (
      type !== undefined
        ? nodeSchema(type)
        : of === "result"
          ? await schemaOfResult()
          : languageSchema(surroundings.extensions)
    ) as Record<string, unknown>;
    // The schema is what was asked for, so the text is no shorter.
    return { object, text: JSON.stringify(object), isError: false };
  },
});
