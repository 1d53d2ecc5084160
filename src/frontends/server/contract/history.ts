// What recorded runs prove, and evals: a test made of a run, an edited file against the last ones, and what each
// variant came to.
import { z } from "zod";
import { VERDICTS } from "../../../features/history/verdict.ts";
import { shape, text, time, whole, yesOrNo } from "./values.ts";

export const recordBody = z.strictObject({ until: text.min(1).optional().describe("the test ends after this step") });

export const recordedJson = shape("Recorded", {
  run_id: text,
  file: text.describe("the scenario that was written, relative to the root"),
  yaml: text.describe("what stands in it; values over 4 KiB are in files beside it"),
  passed: yesOrNo.describe("it was played at once"),
  problems: z.array(text).describe("what differed, where it does not pass"),
  notes: z.array(text).describe("what the scenario cannot say of the run, or says otherwise"),
});
export type RecordedJson = z.infer<typeof recordedJson>;

export const backtestQuery = z.object({
  runs: z.coerce.number().int().min(1).max(1000).default(100).describe("how many of the newest"),
});

const verdict = z
  .enum(VERDICTS)
  .describe("rerouted: the same end by another way; output: other output; unknown: it asks what was not recorded");

const verdictFields = {
  verdict,
  step: text.nullable().describe("where the two part"),
  file: text.nullable(),
  line: whole.nullable().describe("what made the difference, in the file as it is now"),
  change: text.nullable().describe("in that line: `max 4 → 2`"),
  routes: z
    .object({ was: text, now: text })
    .optional()
    .describe("what follows there, in the run and now: `retry`, `to later`, `unhandled`"),
  was: text,
  now: text,
  hint: text.optional().describe("what may be meant instead"),
  fields: z.array(text).optional().describe("of another output: which fields differ"),
  why: text.optional().describe("why it is not known"),
  short: yesOrNo.optional().describe("it failed then, and is now unknown before it comes to the step that failed"),
};

export const backtestJson = shape("Backtest", {
  file: text,
  newest: time.nullable().describe("when the newest of the runs began"),
  counts: z.record(z.enum(VERDICTS), whole),
  runs: z.array(z.object({ run_id: text, ...verdictFields })),
  groups: z
    .array(
      z.object({
        ...verdictFields,
        count: whole,
        example: text.describe("the newest run of the group"),
        can_follow: z
          .array(z.object({ kind: text, then: text }))
          .optional()
          .describe("of an unknown: errors that the step can raise, and what would follow each"),
      }),
    )
    .describe("runs that end alike"),
});
export type BacktestJson = z.infer<typeof backtestJson>;

const measured = z.number().nullable().describe("0 to 1; null: nothing was measured");
const rate = {
  measured: whole,
  passed: whole,
  rate: measured,
  low: measured.describe("of the 95 % interval"),
  high: measured,
};

const variantSummary = shape("EvalVariant", {
  variant: text,
  ...rate,
  not_measured: whole,
  k: whole.optional().describe("how often each row was repeated"),
  pass_at_k: measured.optional().describe("at least one of k passes"),
  pass_all_k: measured.optional().describe("all of k pass"),
  cost_usd: z.number(),
  tokens: whole,
  duration_ms: z.object({ median: z.number(), p95: z.number() }).nullable(),
  errors: z.record(text, whole).describe("how often each kind was met"),
  tags: z.array(z.object({ tag: text, ...rate })),
});
export type EvalVariantJson = z.infer<typeof variantSummary>;

const about = {
  eval_id: text,
  name: text,
  file: text.describe("relative to the root"),
  workflow: text.describe("relative to the root"),
  started_at: time,
  ended_at: time.nullable().describe("null: it was not finished, and can be resumed"),
  commit: text.nullable(),
  planned: whole.describe("how many runs it has"),
  done: whole.describe("how many of them are graded"),
  summary: z.array(variantSummary),
  problems: z.array(text).describe("why it does not pass"),
};

const evalSummary = shape("EvalSummary", about);
export type EvalSummaryJson = z.infer<typeof evalSummary>;

export const evalsJson = shape("Evals", { evals: z.array(evalSummary), server_time: time });
export type EvalsJson = z.infer<typeof evalsJson>;

const evalRow = shape("EvalRow", {
  id: text,
  variant: text,
  repeat: whole,
  passed: yesOrNo.nullable().describe("null: not measured"),
  grades: z.array(
    z.object({
      name: text,
      passed: yesOrNo.nullable().describe("null: it could not be made"),
      score: z.number().nullable(),
      why: text.nullable(),
    }),
  ),
  run_id: text,
  status: text.describe("of its run; not_run: it was left out"),
  kind: text.nullable(),
  cost_usd: z.number().nullable(),
  duration_ms: z.number().nullable(),
  why: text.nullable().describe("why it was not measured"),
});
export type EvalRowJson = z.infer<typeof evalRow>;

export const evalJson = shape("Eval", {
  ...about,
  rows: z.array(evalRow).describe("in the order of the plan"),
  differences: z
    .array(z.object({ id: text, passed: z.record(text, measured) }))
    .describe("rows on which variants do not agree: the share that passed in each"),
});
export type EvalJson = z.infer<typeof evalJson>;
