// A whole workflow file.
import * as z from "zod";
import { listOf, values } from "./fields.ts";
import { forEachGroup, parallelGroup } from "./groups.ts";
import { step } from "./steps.ts";
import { workflowSection } from "./workflow-section.ts";

export const workflowFile = z.strictObject({
  workflow: workflowSection.describe("The name, the inputs, the limits, and what holds for the whole file."),
  tools: listOf(z.string()).describe("Names of tools that agents may use."),
  agents: listOf(step).describe("The steps. `steps` is a synonym."),
  parallel: listOf(parallelGroup).describe("Groups of steps that run at the same time."),
  for_each: listOf(forEachGroup).describe("Groups that run one step for each item of a list."),
  output: values()
    .default({})
    .meta({
      description: "The workflow's result. Values are templates.",
      examples: [{ version: "{{ build.output.version }}" }],
    }),
});

export type WorkflowFile = z.output<typeof workflowFile>;
