// A whole workflow file.
import * as z from "zod";
import { listOf, values } from "../../steps/schema/fields.ts";
import { once } from "../../steps/schema/once.ts";
import { forEachGroup, parallelGroup, stepSchema } from "./groups.ts";
import { workflowSection } from "./workflow-section.ts";

/** Names that `tools` of agents may mention. */
export const tools = listOf(z.string()).describe("Names of tools that agents may use.");

export const fileOutput = values()
  .default({})
  .meta({
    description: "The workflow's result. Values are templates.",
    examples: [{ version: "{{ build.output.version }}" }],
  });

export const workflowFile = once(() =>
  z.strictObject({
    workflow: workflowSection().describe("The name, the inputs, the limits, and what holds for the whole file."),
    tools,
    agents: listOf(stepSchema()).describe("The steps. `steps` is a synonym."),
    parallel: listOf(parallelGroup()).describe("Groups of steps that run at the same time."),
    for_each: listOf(forEachGroup()).describe("Groups that run one step for each item of a list."),
    output: fileOutput,
  }),
);

export type WorkflowFile = z.output<ReturnType<typeof workflowFile>>;
