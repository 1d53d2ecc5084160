// What starts runs by itself: when each trigger fires next, and what became of its last firing.
import { z } from "zod";
import { anyJson, text, time, yesOrNo } from "./values.ts";

const firingJson = z
  .object({
    trigger: text,
    run_id: text.nullable().describe("null: it was skipped, and made none"),
    status: text,
    fired_at: time,
    ended_at: time.nullable(),
    reason: text.nullable(),
    cause: anyJson,
  })
  .meta({ id: "Firing" });

export const triggerJson = z
  .object({
    name: text,
    workflow: text,
    fires: text.describe("when it fires, in words"),
    paused: yesOrNo,
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
  })
  .meta({ id: "Trigger" });
export type TriggerJson = z.infer<typeof triggerJson>;

export const triggersJson = z.object({ triggers: z.array(triggerJson), server_time: time }).meta({ id: "Triggers" });
export type TriggersJson = z.infer<typeof triggersJson>;
