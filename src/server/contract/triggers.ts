// What starts runs by itself: when each trigger fires next, what it has fired, pausing it, and firing it by hand.
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
export type FiringJson = z.infer<typeof firingJson>;

export const triggerJson = z
  .object({
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
  })
  .meta({ id: "Trigger" });
export type TriggerJson = z.infer<typeof triggerJson>;

export const triggersJson = z.object({ triggers: z.array(triggerJson), server_time: time }).meta({ id: "Triggers" });
export type TriggersJson = z.infer<typeof triggersJson>;

export const historyQuery = z.object({ limit: z.coerce.number().int().min(1).max(200).default(20) });

export const historyJson = z
  .object({
    firings: z.array(firingJson).describe("newest first"),
    hindered: z.array(text).describe("why nothing of it can be fired now, each in a sentence"),
    server_time: time,
  })
  .meta({ id: "TriggerHistory" });
export type HistoryJson = z.infer<typeof historyJson>;

export const pauseBody = z.strictObject({ paused: yesOrNo.describe("false: it fires again") });

export const fireBody = z.strictObject({
  body: anyJson.optional().describe("what stands for the body of a webhook"),
  run: text.min(1).optional().describe("of one that follows runs: the run that ended"),
});

export const firedJson = z
  .object({ run_id: text.describe("of the run that the server starts now; known before there is one") })
  .meta({ id: "Fired" });
export type FiredJson = z.infer<typeof firedJson>;
