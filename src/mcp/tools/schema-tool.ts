// The JSON Schema of workflow files, or of results.
import { z } from "zod";
import { languageSchema, resultSchema } from "../../services/schema.ts";
import { defineTool } from "../tool.ts";

export const schemaGet = defineTool({
  name: "schema_get",
  title: "Get a schema",
  description: "The JSON Schema of workflow files; with `of: result` that of the object that runs are answered with.",
  input: z.strictObject({ of: z.enum(["workflow", "result"]).default("workflow").describe("which schema") }),
  output: () => ({ type: "object", description: "a JSON Schema, draft 2020-12" }),
  annotations: { readOnlyHint: true },
  async run({ of }) {
    const object = (of === "result" ? await resultSchema() : languageSchema()) as Record<string, unknown>;
    // The schema is what was asked for, so the text is no shorter.
    return { object, text: JSON.stringify(object), isError: false };
  },
});
