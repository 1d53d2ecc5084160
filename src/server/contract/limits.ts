// Limits on calls to models, and the runs that wait for one.
import { z } from "zod";
import { text, time, whole } from "./values.ts";

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
