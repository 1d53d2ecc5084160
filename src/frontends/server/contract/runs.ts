// The list of runs, a row each, with the days as bars; and starting, resuming and cancelling. Every write needs the header
// `Idempotency-Key`: the same key again gives the same answer and does nothing.
import { z } from "zod";
import { RUN_STATUSES } from "../../../base/results/result.ts";
import { inputsSchema } from "../../../base/results/schema.ts";
import { endingJson, runStatusJson, seqSeen, shape, text, time, whole, yesOrNo } from "./values.ts";

export const runRowJson = shape("RunRow", {
  run_id: text,
  status: runStatusJson,
  termination: endingJson.nullable().describe("of `terminated`: which way"),
  name: text.nullable().describe("what the run is called"),
  workflow: text,
  file: text.describe("relative to the root; what /workflows/FILE and `start` take"),
  cell: text.nullable().describe("on a fleet that is made of cells: the one that has it"),
  failing_step: text
    .nullable()
    .describe("the step that failed, ended the run badly or was lost first, with its sub-workflows before it"),
  kind: text.nullable().describe("of the error that ended it, or of what was lost first"),
  reason: text.nullable().describe("of `terminated` as failed: why"),
  started_at: time,
  ended_at: time.nullable(),
  took_ms: whole.nullable().describe("null while it runs: count from started_at by the server's time"),
  cost_usd: z.number().nullable(),
  resumable: yesOrNo,
  waits: yesOrNo.describe("a person is asked"),
  waits_because: text.nullable().describe("of a fleet's run: why no worker takes it"),
});
export type RunRowJson = z.infer<typeof runRowJson>;

/** Words of `status`; of the terminated, `terminated:success` and `terminated:failed`. */
export const dayCountsJson = z.record(text, whole);

export const dayJson = z.object({
  day: text.describe("2026-11-15, in the time zone that was asked for"),
  counts: dayCountsJson.describe("by status; `terminated:failed` apart from `terminated:success`"),
  total: whole,
});
export type DayJson = z.infer<typeof dayJson>;

const IN_FILTERS: readonly string[] = [...RUN_STATUSES, "terminated:success", "terminated:failed"];

export const runsQuery = z.object({
  status: text
    .refine((words) => words.split(",").every((word) => word === "" || IN_FILTERS.includes(word)), {
      error: `must be one or more of ${IN_FILTERS.join(", ")}`,
    })
    .optional()
    .describe("comma-separated; also `terminated:failed`, `terminated:success`"),
  workflow: text.optional(),
  kind: text.optional().describe("a kind, or a pattern with *"),
  input: text
    .regex(/^[^=]+=/, { error: "must be name=value" })
    .optional()
    .describe("name=value: only runs that were given this input"),
  text: text.optional().describe("found in id, name, workflow, file, kind or failing step"),
  since: text.optional().describe("ISO time, or an age: 1d, 2h"),
  until: text.optional().describe("ISO time"),
  cursor: text.optional().describe("`next` of the answer before"),
  limit: z.coerce.number().int().min(1).max(500).optional().describe("100 when left out"),
  tz: z.coerce.number().int().min(-900).max(900).optional().describe("minutes east of UTC, for the days"),
});
export type RunsQuery = z.infer<typeof runsQuery>;

export const runsJson = shape("Runs", {
  runs: z.array(runRowJson).describe("newest first"),
  next: text.nullable().describe("cursor of the rows after these; null when these were the last"),
  total: whole.describe("how many the filters leave, on all pages"),
  unread: whole.describe(
    "runs that may match `text` by how they failed, which is not read yet; ask again after a while; 0: these are all",
  ),
  days: z
    .array(dayJson)
    .describe("of what the filters leave (without since and until), oldest first, 60 at most; only without a cursor"),
  workflows: z.array(text).describe("names of all workflows that have runs, for the filter; only without a cursor"),
  kinds: z.array(text).describe("kinds that runs failed with or kept letters of; only without a cursor"),
  incomplete: z
    .object({ cells: z.array(text) })
    .optional()
    .describe("only where cells of the fleet did not answer: what they have may be missing, or older than it is there"),
  server_time: time,
});
export type RunsJson = z.infer<typeof runsJson>;

export const startBody = z.strictObject({
  file: text.min(1).describe("relative to the root, from GET /api/workflows"),
  inputs: inputsSchema.default({}).describe("values by name; those of a text input are texts"),
  name: text.optional().describe("what the run is called; what the file says when left out"),
  max_iterations: whole.min(1).optional().describe("how many steps may run"),
  provider: text.min(1).optional().describe("whom all agents ask, whatever the file says"),
  durability: z.enum(["process", "power"]).optional().describe("what the run survives: a crash, or a power cut"),
  priority: z
    .enum(["high", "normal", "low"])
    .optional()
    .describe("on a fleet: which of those that wait is taken first"),
});

export const resumeBody = z.strictObject({
  seq: seqSeen,
  inputs: inputsSchema.default({}).describe("inputs that are added or changed"),
  from: text.optional().describe("start at this step"),
  force: yesOrNo.optional().describe("reuse nothing"),
  failed_items: yesOrNo.optional().describe("of a run that lost items: those items"),
  changed_files: yesOrNo.optional().describe("steps whose script files have changed since they ran, too"),
  max_iterations: whole.min(1).optional(),
  max_visits: whole.min(1).optional().describe("how often a step may be visited"),
  provider: text.min(1).optional().describe("whom agents ask from here on; whom the run began with when left out"),
  file: text.min(1).optional().describe("an edited copy of the workflow, relative to the root"),
  take_over: yesOrNo
    .optional()
    .describe(
      "take the run from the process that drives it, alive or not: it can record nothing more, but a step that it has begun goes on",
    ),
});
export type ResumeBody = z.input<typeof resumeBody>;

export const cancelBody = z.strictObject({ seq: seqSeen });

/** The run that a write was about. What becomes of it comes with the stream. */
export const actedJson = shape("Acted", { run_id: text, seq: whole.describe("of the run when it was done") });
export type ActedJson = z.infer<typeof actedJson>;
