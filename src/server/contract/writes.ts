// Starting, resuming and cancelling. Every write needs the header `Idempotency-Key`: the same key again gives the same
// answer and does nothing. Answers, letters and breakers have theirs in their own files.
import { z } from "zod";
import { anyJson, seqSeen, text, whole, yesOrNo } from "./values.ts";

export const startBody = z.strictObject({
  file: text.min(1).describe("relative to the root, from GET /api/workflows"),
  inputs: z.record(text, anyJson).default({}).describe("values by name; those of a text input are texts"),
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
  inputs: z.record(text, anyJson).default({}).describe("inputs that are added or changed"),
  from: text.optional().describe("start at this step"),
  force: yesOrNo.optional().describe("reuse nothing"),
  failed_items: yesOrNo.optional().describe("of a run that lost items: those items"),
  changed_files: yesOrNo.optional().describe("steps whose script files have changed since they ran, too"),
  max_iterations: whole.min(1).optional(),
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
export const actedJson = z
  .object({ run_id: text, seq: whole.describe("of the run when it was done") })
  .meta({ id: "Acted" });
export type ActedJson = z.infer<typeof actedJson>;
