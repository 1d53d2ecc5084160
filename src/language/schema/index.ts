// The language: every type of step and section, with its fields, defaults and descriptions.
import * as z from "zod";
import { listOf, named, route, values } from "../../steps/schema/fields.ts";
import { JUDGEMENTS, once, TAKEN } from "../../steps/schema/readings.ts";
import { STEP_TYPES, type StepTypeName } from "../../steps/types.ts";
import { ABOUT_LISTS } from "./names.ts";
import type { Semantics } from "./semantics.ts";
import { workflowSection } from "./workflow-section.ts";

export type { AgentStep } from "../../steps/agent/schema.ts";
export type { HumanGateStep } from "../../steps/human-gate/schema.ts";
export type { McpStep } from "../../steps/mcp/schema.ts";
export type { QuestionsStep } from "../../steps/questions/schema.ts";
export type { FieldType, OutputField, RaiseWhen, RetryAction, Route } from "../../steps/schema/fields.ts";
export type { ProviderFields } from "../../steps/schema/provider.ts";
export type { TerminateStep } from "../../steps/terminate/schema.ts";
export { STEP_TYPES } from "../../steps/types.ts";
export type { WorkflowStep } from "../../steps/workflow/schema.ts";
export { type FileDialect, FOREIGN_PROVIDERS, isStepsKey, NODE_LISTS, stepsKeyOf, TOP_KEYS } from "./names.ts";
export type { Runtime } from "./runtime.ts";
export type { RecordedSemantics, Semantics } from "./semantics.ts";
export type { InputField, WorkflowSection } from "./workflow-section.ts";

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
    agents: listOf(stepSchema()).describe(ABOUT_LISTS.agents),
    parallel: listOf(parallelGroup()).describe("Groups of steps that run at the same time."),
    for_each: listOf(forEachGroup()).describe("Groups that run one step for each item of a list."),
    output: fileOutput,
  }),
);

export interface WorkflowFile extends z.output<ReturnType<typeof workflowFile>> {
  /** What the file means where the dialects differ. */
  readonly semantics: Semantics;
}

const grouped = once(() => ({
  ...named,
  failure_mode: z
    .enum(["fail_fast", "continue_on_error", "all_or_nothing"])
    .default("fail_fast")
    .describe(
      "What a failed member does: cancel the others (fail_fast), fail only if nothing succeeded (continue_on_error), or let all run and fail if any did (all_or_nothing).",
    ),
  stop_on_systemic: z
    .boolean()
    .default(false)
    .describe("Stop when, from the 10th item on, more than half failed with one kind."),
  routes: listOf(route).describe(
    "Where to go when all members are done. `on_error` routes see the group's first error.",
  ),
}));

export const parallelGroup = once(() =>
  z.strictObject({
    ...grouped(),
    agents: z
      .array(z.string())
      .min(2)
      .meta({ description: "The names of the steps that run at the same time.", examples: [["lint", "test"]] }),
    max_concurrent: z.int().min(1).max(1000).optional().describe("How many run at a time; all when left out."),
  }),
);

const forEachFields = once(() => ({
  ...grouped(),
  type: z.literal("for_each").describe("Always `for_each`."),
  source: z
    .string()
    .min(1)
    .meta({ description: "The list to go through.", examples: ["finder.output.topics", "workflow.input.files"] }),
  as: z
    .string()
    // Letters of other scripts are told from their other signs by the judgement: it asks only where it has to, and quick
    // reading knows no flags.
    .regex(/^(?:[A-Za-z_]|[^ -~])(?:\w|[^ -~])*$/)
    .refine(JUDGEMENTS["a free name"], {
      error: ({ input }) =>
        TAKEN.includes(String(input))
          ? `\`as\` may not be one of ${TAKEN.join(", ")}: templates need those names. Choose another, such as \`item\`.`
          : `\`as\` must be a name of letters, digits and underscores, of any script, and ${JSON.stringify(input)} has other signs: templates could not read it. Choose another, such as \`item\`.`,
    })
    .meta({
      description: "The name of the current item in templates.",
      expects: "a name of letters, digits and underscores",
      judged: "a free name",
      examples: ["item"],
    }),
  max_concurrent: z.int().min(1).max(1000).default(10).describe("How many items run at a time."),
  spread: z
    .boolean()
    .default(false)
    .describe(
      "With many workers: let all of them run items, `max_concurrent` at a time over all. In one process it changes nothing.",
    ),
  key_by: z
    .string()
    .optional()
    .meta({
      description:
        "The field of an item that names it in `outputs` and `errors`: `outputs` is then a mapping of what succeeded.",
      examples: ["id"],
    }),
  failed_items: z
    .literal("omit")
    .optional()
    .meta({
      expects: "`omit`",
      description:
        "`omit`: under `continue_on_error` a failed item is left out of the list `outputs`, and later items move up; without this it is null there. So it is in files with `agents:`.",
    }),
}));

export const forEachGroup = once(() =>
  z.strictObject({
    ...forEachFields(),
    agent: stepSchema().describe("The step that runs for each item. It has a `name` of its own."),
  }),
);

/** The group without its step, which is read by itself: its own type decides its fields. */
export const forEachFrame = once(() => z.strictObject(forEachFields()));

export type ParallelGroup = z.output<ReturnType<typeof parallelGroup>>;
export type ForEachGroup = z.output<ReturnType<typeof forEachGroup>>;

// Any step, of whichever type; the types themselves are src/steps/types.ts.

/** The union of all types, distinguished by `type`. */
const stepSchema = once(() => {
  const types = Object.values(STEP_TYPES).map(({ schema }) => schema());
  return z
    .discriminatedUnion("type", types as unknown as [ReturnType<(typeof STEP_TYPES)[StepTypeName]["schema"]>])
    .meta({ id: "Step" });
});

export type Step = z.output<ReturnType<typeof stepSchema>>;
