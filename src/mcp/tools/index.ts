// Every tool, in the order in which an agent would come to need them.

import { z } from "zod";
import { languageSchema, NODE_TYPES, nodeSchema, schemaOfResult } from "../../services/workflows/schema.ts";
import type { Serving } from "../session.ts";
import { defineTool, type Tool } from "../tool.ts";
import { explain } from "./explain-tool.ts";
import { gateAnswer, gateList } from "./gate-tools.ts";
import { historyTools } from "./history-tools.ts";
import { letterTools } from "./letter-tools.ts";
import { runTools } from "./run-tools.ts";
import { workflowToolsBeside } from "./workflow-as-tool.ts";
import { workflowTools } from "./workflow-tools.ts";

type ToolSettings = Pick<Serving, "mayAnswerGates"> & { readonly hasWorkflowTools?: false };

/** Those of workflows are read from their files anew: an edited one is listed as it is now. */
export function toolsFor(serving: Serving | ToolSettings): ReadonlyMap<string, Tool> {
  const own = [
    ...workflowTools,
    ...runTools,
    explain,
    ...historyTools,
    gateList,
    ...(serving.mayAnswerGates ? [gateAnswer] : []),
    ...letterTools,
    schemaGet,
  ];
  const all = serving.hasWorkflowTools ? [...own, ...workflowToolsBeside(own, serving)] : own;
  return new Map(all.map((tool) => [tool.name, tool]));
}

/** The JSON Schema of workflow files, of one type of step, or of results. */
const schemaGet = defineTool({
  name: "schema_get",
  description: "A JSON Schema: of one `type` of step or group, of whole workflow files, or of results.",
  input: z.strictObject({
    of: z.enum(["workflow", "result"]).default("workflow"),
    type: z.enum(NODE_TYPES).optional(),
  }),
  output: () => ({ type: "object" }),
  annotations: { readOnlyHint: true },
  async run({ of, type }, { session }) {
    const object = (
      type !== undefined
        ? nodeSchema(type)
        : of === "result"
          ? await schemaOfResult()
          : languageSchema(session.extensions)
    ) as Record<string, unknown>;
    // The schema is what was asked for, so the text is no shorter.
    return { object, text: JSON.stringify(object), isError: false };
  },
});
