// Every tool, in the order in which an agent would come to need them.
import type { Tool } from "../tool.ts";
import { explain } from "./explain-tool.ts";
import { gateAnswer, gateList } from "./gate-tools.ts";
import { historyTools } from "./history-tools.ts";
import { letterTools } from "./letter-tools.ts";
import { runTools } from "./run-tools.ts";
import { schemaGet } from "./schema-tool.ts";
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
