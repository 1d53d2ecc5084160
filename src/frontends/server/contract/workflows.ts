// Workflow files below the root: the list, one of them with its graph and inputs, and the plan of a dry run.
import { z } from "zod";
import { inputsSchema } from "../../../base/results/schema.ts";
import type { Picture } from "../../../graph/picture.ts";
import { pictureJson } from "./run.ts";
import { runRowJson } from "./runs.ts";
import { anyJson, mapJson, shape, text, time, whole, yesOrNo } from "./values.ts";

export const workflowSummaryJson = shape("WorkflowSummary", {
  file: text.describe("relative to the root"),
  workflow: text.nullable().describe("null: it does not load"),
  description: text.nullable(),
  inputs: z.array(text),
  invalid: z
    .object({
      errors: whole.describe("how many there are"),
      message: text.describe("the first of them, in a sentence"),
      file: text.describe("where it is; the file may be one that this one calls"),
      line: whole,
    })
    .nullable()
    .describe("why it cannot be run; null: it is valid"),
});

export const workflowsJson = shape("Workflows", {
  workflows: z.array(workflowSummaryJson),
  truncated: yesOrNo,
  server_time: time,
});
export type WorkflowsJson = z.infer<typeof workflowsJson>;

/** For a form: one field. */
export const inputFieldJson = z.object({
  name: text,
  type: text.describe("string, number, boolean, array, object"),
  required: yesOrNo,
  default: anyJson.optional(),
  description: text.optional(),
  secret: z.literal(true).optional(),
  schema: mapJson.describe("the JSON Schema of the value"),
});
export type InputFieldJson = z.infer<typeof inputFieldJson>;

const picture = pictureJson as unknown as z.ZodType<Picture>;

const handledBy = z.object({
  line: whole,
  action: text,
  to: text.optional(),
  table: z.enum(["step", "group", "workflow"]),
  when: text.optional(),
});

const place = z.object({ file: text, line: whole, column: whole });
const raisedIn = place.describe("of a child's kind: the step that raises it");

const kindFlow = z.object({
  kind: text,
  source: text,
  of_members: z
    .literal(true)
    .optional()
    .describe("of a group: its members may raise it, and what no route handles is listed with them"),
  raised_in: raisedIn.optional(),
  handled_by: handledBy.optional(),
  first: z.array(handledBy).optional(),
  propagated_by: handledBy.optional(),
  resilience: z
    .object({
      retries: whole.optional(),
      dead_letter: z.literal(true).optional(),
      escalate: z.literal(true).optional(),
      only: z.array(text).optional(),
    })
    .optional(),
});

export const workflowQuery = z.object({
  unless: text.optional().describe("the `mark` that the reader has: while it is the same, the answer is `unchanged`"),
});

export const unchangedJson = shape("Unchanged", { unchanged: z.literal(true) });

/** A file that does not load has `problems` and nothing else to show. */
export const workflowJson = shape("Workflow", {
  file: text,
  mark: text.describe("another one when the file has changed, or one that it is made of"),
  workflow: text.nullable(),
  dialect: z
    .enum(["agents", "steps"])
    .nullable()
    .describe("by whose rules the file is read: Conductor's (`agents`) or Segno's (`steps`)"),
  description: text.nullable(),
  inputs: z.array(inputFieldJson).nullable().describe("null: the file declares none and takes any"),
  steps: z.array(mapJson),
  picture: picture.nullable(),
  last_picture: picture.nullable().describe("of a file with errors: as it was when it last had none"),
  raises: z.array(
    z.object({ node_id: text, type: text, line: whole, group: text.optional(), raises: z.array(kindFlow) }),
  ),
  unhandled: z.array(
    z.object({
      kind: text,
      node_id: text,
      source: text,
      raised_in: raisedIn.optional(),
      group: text.optional(),
      location: place.describe("where it is declared, else the step's name; the route that propagates it"),
    }),
  ),
  problems: z
    .array(mapJson)
    .describe(
      "findings, as entries of a result, each with its `severity`, error or warning, and `drawn_at`, a node's id",
    ),
  yaml: text.describe("the file, redacted"),
  runs: z.array(runRowJson).describe("the newest ten"),
});
export type WorkflowJson = z.infer<typeof workflowJson>;

const share = z.object({ total: whole, taken: whole });

/** What the scenarios of a workflow take, played offline. */
export const coverageJson = shape("Coverage", {
  scenarios: whole.describe("those that could be played"),
  taken: z.record(text, whole).describe("by step: how many scenarios take it"),
  steps: share,
  success_routes: share,
  error_routes: share,
  denials: share.describe("steps and groups that policies are asked about, and those that a policy denied"),
  untaken: z.array(
    z.object({
      what: z.enum(["step", "success route", "error route"]),
      node: text,
      line: whole,
      index: whole.optional(),
      route: text.optional(),
    }),
  ),
});
export type CoverageJson = z.infer<typeof coverageJson>;

export const editorBody = z.strictObject({
  node: text.optional().describe("the id of a node in the picture"),
  line: whole.min(1).optional().describe("where no node is named"),
});

export const editorJson = shape("ShownInEditor", {
  file: text,
  line: whole,
  shown: yesOrNo.describe("an editor with the file in its workspace went there"),
});
export type EditorJson = z.infer<typeof editorJson>;

export const planBody = z.strictObject({ inputs: inputsSchema.default({}) });

export const plannedStepJson = z
  .object({
    node_id: text,
    type: text,
    fields: mapJson,
    routes: z.array(text),
    policies: z.array(text).optional(),
    get members() {
      return z.array(plannedStepJson).optional();
    },
    get steps() {
      return z.array(plannedStepJson).optional().describe("of a sub-workflow: what its file would run");
    },
    steps_under: text.optional().describe("instead of `steps`: the call that lists the same, as `deploy/notify`"),
  })
  .meta({ id: "PlannedStep" });

export const planJson = shape("Plan", { plan: z.array(plannedStepJson) });
export type PlanJson = z.infer<typeof planJson>;

// A first run for a user who has no workflow yet: an example of the package, copied below the root.

export const exampleBody = z.strictObject({ name: z.enum(["release"]) });

export const exampleJson = shape("Example", { file: text.describe("relative to the root; what `start` takes") });
export type ExampleJson = z.infer<typeof exampleJson>;
