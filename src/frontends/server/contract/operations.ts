// What an operator looks at: circuit breakers, limits on calls to models, the workers of a fleet, whether the server
// lives; and triggers, which start runs by themselves.
import { z } from "zod";
import { anyJson, shape, text, time, whole, yesOrNo } from "./values.ts";

export const breakerJson = shape("Breaker", {
  name: text,
  status: z.enum(["closed", "open", "half_open"]),
  failures: whole,
  opened_at: time.nullable(),
  next_probe_at: time.nullable().describe("when an open one lets a call through"),
  retry_after_seconds: whole.nullable(),
  probes: whole,
  successes: whole,
  reset: z.object({ by: text, at: time }).optional().describe("of one that somebody closed by hand"),
});
export type BreakerJson = z.infer<typeof breakerJson>;

export const breakersJson = shape("Breakers", { breakers: z.array(breakerJson), server_time: time });
export type BreakersJson = z.infer<typeof breakersJson>;

export const contentsJson = shape("Contents", {
  letters: yesOrNo,
  breakers: yesOrNo,
  limits: yesOrNo,
  evals: yesOrNo,
  triggers: yesOrNo,
  workers: yesOrNo,
});
export type ContentsJson = z.infer<typeof contentsJson>;

export const resetBody = z.strictObject({
  opened_at: time
    .nullable()
    .describe("as the person saw it, from GET /api/breakers: one that opened anew since then is a 409"),
});

const useJson = z.object({ used: whole, per_minute: whole }).nullable();

export const limitJson = shape("Limit", {
  name: text.describe("provider and models: `anthropic claude-*`"),
  requests: useJson,
  input_tokens: useJson,
  concurrent: z.object({ used: whole, most: whole }).nullable(),
  closed_until: time.nullable().describe("a server refuses calls until then"),
  closed_by: text.nullable().describe("for this limit of its own"),
  waiting: z.array(z.object({ run_id: text, since: time })).describe("calls that wait for their turn"),
});
export type LimitJson = z.infer<typeof limitJson>;

export const resetWaitJson = shape("ResetWait", {
  run_id: text,
  workflow: text,
  node_id: text,
  kind: text,
  until: time,
});
export type ResetWaitJson = z.infer<typeof resetWaitJson>;

export const limitsJson = shape("Limits", {
  limits: z.array(limitJson),
  resets: z.array(resetWaitJson).describe("runs that wait for a provider's limit to be reset, the soonest first"),
  server_time: time,
});
export type LimitsJson = z.infer<typeof limitsJson>;

export const workerJson = shape("Worker", {
  id: text,
  cell: text.optional().describe("the one that it serves, on a fleet that is made of cells"),
  host: text,
  pid: whole,
  version: text.describe("of Segno"),
  draining: yesOrNo.describe("it takes nothing more, hands over what it drives, and leaves"),
  since: time.nullable().describe("since when it is there; null: it does not say"),
  silent_ms: whole.describe("how long ago its last sign of life is"),
  concurrency: whole.nullable().describe("how many runs it drives at most"),
  runs: z.array(z.object({ run_id: text, workflow: text })),
  other_runs: whole.describe("how many runs it drives besides, of workflows that are not shown here"),
});
export type WorkerJson = z.infer<typeof workerJson>;

export const workersJson = shape("Workers", {
  fleet: yesOrNo.describe("false: runs are driven by whoever starts them, and there are no workers"),
  workers: z.array(workerJson).describe("those who gave a sign of life lately"),
  queue: z
    .object({
      waiting: whole.describe("runs that wait for a worker"),
      delayed: whole.describe("runs that wait for their own time"),
      oldest_ms: whole.nullable().describe("how long the oldest has waited for a worker"),
    })
    .nullable(),
  server_time: time,
});
export type WorkersJson = z.infer<typeof workersJson>;

// GET /healthz, which needs no session and tells nothing about runs.

export const healthJson = shape("Health", { status: z.enum(["ok", "stopping"]), version: text });
export type HealthJson = z.infer<typeof healthJson>;

const firingJson = shape("Firing", {
  trigger: text,
  run_id: text.nullable().describe("null: it was skipped, and made none"),
  status: text,
  fired_at: time,
  ended_at: time.nullable(),
  reason: text.nullable(),
  cause: anyJson,
});
export type FiringJson = z.infer<typeof firingJson>;

export const triggerJson = shape("Trigger", {
  name: text,
  workflow: text,
  fires: text.describe("when it fires, in words"),
  set_off_by: z.enum(["schedule", "webhook", "run"]),
  cell: text.optional().describe("on a fleet that is made of cells: the one that it belongs to"),
  paused: yesOrNo
    .nullable()
    .describe("null: its cell did not answer, so nothing is known but what the project's file says"),
  paused_by: text.nullable(),
  paused_at: time.nullable(),
  next_at: time.nullable().describe("of a schedule; null while it is paused"),
  last: firingJson.nullable(),
  left_out: z
    .object({ count: z.int(), from: time, to: time, reason: text.nullable() })
    .nullable()
    .describe("missed moments of a schedule that are neither fired nor recorded one by one"),
  overlap: text.nullable(),
  catch_up: text.nullable(),
  when: text.nullable().describe("templates, as they are written"),
  inputs: z.record(z.string(), anyJson),
  dedupe: text.nullable(),
  concurrency: z.object({ key: text, limit: z.int() }).nullable(),
});
export type TriggerJson = z.infer<typeof triggerJson>;

export const triggersJson = shape("Triggers", { triggers: z.array(triggerJson), server_time: time });
export type TriggersJson = z.infer<typeof triggersJson>;

export const historyQuery = z.object({ limit: z.coerce.number().int().min(1).max(200).default(20) });

export const historyJson = shape("TriggerHistory", {
  firings: z.array(firingJson).describe("newest first"),
  hindered: z.array(text).describe("why nothing of it can be fired now, each in a sentence"),
  server_time: time,
});
export type HistoryJson = z.infer<typeof historyJson>;

export const pauseBody = z.strictObject({ paused: yesOrNo.describe("false: it fires again") });

export const fireBody = z.strictObject({
  body: anyJson.optional().describe("what stands for the body of a webhook"),
  run: text.min(1).optional().describe("of one that follows runs: the run that ended"),
});

export const firedJson = shape("Fired", {
  run_id: text.describe("of the run that the server starts now; known before there is one"),
});
export type FiredJson = z.infer<typeof firedJson>;
