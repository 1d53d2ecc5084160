// Every tool, in the order in which an agent would come to need them.

import { z } from "zod";
import { languageSchema, NODE_TYPES, nodeSchema, schemaOfResult } from "../../services/workflows/schema.ts";
import { defineTool, type Tool } from "../tool.ts";
import { explain } from "./explain-tool.ts";
import { gateAnswer, gateList } from "./gate-tools.ts";
import { historyTools } from "./history-tools.ts";
import { letterTools } from "./letter-tools.ts";
import { runTools } from "./run-tools.ts";
import { workflowTools } from "./workflow-tools.ts";

export const toolsFor = ({ mayAnswerGates }: { readonly mayAnswerGates: boolean }): ReadonlyMap<string, Tool> =>
  new Map(
    [
      ...workflowTools,
      ...runTools,
      explain,
      ...historyTools,
      gateList,
      ...(mayAnswerGates ? [gateAnswer] : []),
      ...letterTools,
      schemaGet,
    ].map((tool) => [tool.name, tool]),
  );

/** The JSON Schema of workflow files, of one type of step, or of results. */
const schemaGet = defineTool({
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
