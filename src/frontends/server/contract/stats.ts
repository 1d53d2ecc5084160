// What happened over many runs: counts, times and costs by workflow and step.
import { z } from "zod";
import { shape, text, time, whole, yesOrNo } from "./values.ts";

export const statsQuery = z.object({
  file: text.optional().describe("runs of this file, relative to the root; of all files when left out"),
  workflow: text.optional(),
  since: text.optional().describe("ISO time, or an age: 90d; 30 days when left out"),
  until: text.optional().describe("ISO time, or an age"),
  status: text.optional().describe("completed, degraded, terminated, failed or cancelled"),
  input: text
    .regex(/^[^=]+=/, { error: "must be name=value" })
    .optional()
    .describe("name=value: only runs that were given this input"),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe("how many runs are counted, the newest; 10 000 when left out"),
});

const percentiles = z.object({
  p50: z.number().describe("half of the values are at most this"),
  p90: z.number().describe("nine of ten are at most this"),
});
const cost = percentiles.nullable().describe("null: no cost is known");
const kinds = z.record(text, whole).describe("in how many runs each kind was raised, handled or not");

const stepStats = shape("StepStats", {
  step: text.describe("below the steps and groups that it is in: deploy/upload"),
  runs: whole.describe("in how many runs it ran"),
  failed: whole.describe("in how many of these it raised an error, whether or not a retry or a route helped"),
  seconds: percentiles.describe("all its attempts and items of a run together"),
  cost_usd: cost,
  kinds,
});
export type StepStatsJson = z.infer<typeof stepStats>;

const workflowStats = shape("WorkflowStats", {
  workflow: text,
  file: text,
  runs: whole.describe("that ended"),
  completed: whole,
  failed: whole,
  degraded: whole.describe("ended well, but lost items"),
  cancelled: whole,
  resumed: whole.describe("of all these, those that were resumed at least once"),
  seconds: percentiles,
  cost_usd: cost,
  kinds,
  steps: z.array(stepStats),
});
export type WorkflowStatsJson = z.infer<typeof workflowStats>;

export const statsJson = shape("Stats", {
  since: time,
  until: time.nullable(),
  runs: whole.describe("how many were counted"),
  more: yesOrNo.describe("older ones within that time were not counted: more than `limit`"),
  without_steps: whole.describe("runs of Segno 0.3: counted by how they ended, without steps and resumes"),
  workflows: z.array(workflowStats).describe("those with the most runs first"),
});
export type StatsJson = z.infer<typeof statsJson>;
