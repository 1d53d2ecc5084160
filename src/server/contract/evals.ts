// Evals: which there are, what each variant came to, and every row with its run.
import { z } from "zod";
import { text, time, whole, yesOrNo } from "./values.ts";

const share = z.number().nullable().describe("0 to 1; null: nothing was measured");
const rate = {
  measured: whole,
  passed: whole,
  rate: share,
  low: share.describe("of the 95 % interval"),
  high: share,
};

const variantSummary = z
  .object({
    variant: text,
    ...rate,
    not_measured: whole,
    k: whole.optional().describe("how often each row was repeated"),
    pass_at_k: share.optional().describe("at least one of k passes"),
    pass_all_k: share.optional().describe("all of k pass"),
    cost_usd: z.number(),
    tokens: whole,
    duration_ms: z.object({ median: z.number(), p95: z.number() }).nullable(),
    errors: z.record(text, whole).describe("how often each kind was met"),
    tags: z.array(z.object({ tag: text, ...rate })),
  })
  .meta({ id: "EvalVariant" });
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

const evalSummary = z.object(about).meta({ id: "EvalSummary" });
export type EvalSummaryJson = z.infer<typeof evalSummary>;

export const evalsJson = z.object({ evals: z.array(evalSummary), server_time: time }).meta({ id: "Evals" });
export type EvalsJson = z.infer<typeof evalsJson>;

const evalRow = z
  .object({
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
  })
  .meta({ id: "EvalRow" });
export type EvalRowJson = z.infer<typeof evalRow>;

export const evalJson = z
  .object({
    ...about,
    rows: z.array(evalRow).describe("in the order of the plan"),
    differences: z
      .array(z.object({ id: text, passed: z.record(text, share) }))
      .describe("rows on which variants do not agree: the share that passed in each"),
  })
  .meta({ id: "Eval" });
export type EvalJson = z.infer<typeof evalJson>;
