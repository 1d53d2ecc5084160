// What an operator looks at: circuit breakers, limits on calls to models, the workers of a fleet, and whether the
// server lives.
import { z } from "zod";
import { text, time, whole, yesOrNo } from "./values.ts";

// Circuit breakers, and closing one by hand.

export const breakerJson = z
  .object({
    name: text,
    status: z.enum(["closed", "open", "half_open"]),
    failures: whole,
    opened_at: time.nullable(),
    next_probe_at: time.nullable().describe("when an open one lets a call through"),
    retry_after_seconds: whole.nullable(),
    probes: whole,
    successes: whole,
    reset: z.object({ by: text, at: time }).optional().describe("of one that somebody closed by hand"),
  })
  .meta({ id: "Breaker" });
export type BreakerJson = z.infer<typeof breakerJson>;

export const breakersJson = z.object({ breakers: z.array(breakerJson), server_time: time }).meta({ id: "Breakers" });
export type BreakersJson = z.infer<typeof breakersJson>;

export const resetBody = z.strictObject({
  opened_at: time
    .nullable()
    .describe("as the person saw it, from GET /api/breakers: one that opened anew since then is a 409"),
});

// Limits on calls to models, and the runs that wait for one.

const useJson = z.object({ used: whole, per_minute: whole }).nullable();

export const limitJson = z
  .object({
    name: text.describe("provider and models: `anthropic claude-*`"),
    requests: useJson,
    input_tokens: useJson,
    concurrent: z.object({ used: whole, most: whole }).nullable(),
    closed_until: time.nullable().describe("a server refuses calls until then"),
    closed_by: text.nullable().describe("for this limit of its own"),
    waiting: z.array(z.object({ run_id: text, since: time })).describe("calls that wait for their turn"),
  })
  .meta({ id: "Limit" });
export type LimitJson = z.infer<typeof limitJson>;

export const resetWaitJson = z
  .object({ run_id: text, workflow: text, node_id: text, kind: text, until: time })
  .meta({ id: "ResetWait" });
export type ResetWaitJson = z.infer<typeof resetWaitJson>;

export const limitsJson = z
  .object({
    limits: z.array(limitJson),
    resets: z.array(resetWaitJson).describe("runs that wait for a provider's limit to be reset, the soonest first"),
    server_time: time,
  })
  .meta({ id: "Limits" });
export type LimitsJson = z.infer<typeof limitsJson>;

// The workers of a fleet: who is there, what each drives, and what waits for one.

export const workerJson = z
  .object({
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
  })
  .meta({ id: "Worker" });
export type WorkerJson = z.infer<typeof workerJson>;

export const workersJson = z
  .object({
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
  })
  .meta({ id: "Workers" });
export type WorkersJson = z.infer<typeof workersJson>;

// GET /healthz, which needs no session and tells nothing about runs.

export const healthJson = z.object({ status: z.enum(["ok", "stopping"]), version: text }).meta({ id: "Health" });
export type HealthJson = z.infer<typeof healthJson>;
