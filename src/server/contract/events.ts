// The log of a run, a page at a time.
import { z } from "zod";
import type { RunEvent } from "../../events/registry.ts";
import { anyJson, text, time, whole, yesOrNo } from "./values.ts";

/** `RunEvent` of src/events, redacted; values that are too long stand in it as a `$big`. */
export const runEventJson = z
  .object({ seq: whole, ts: time, type: text, run_id: text, path: z.array(text), data: z.record(text, anyJson) })
  .meta({ id: "RunEvent" }) as unknown as z.ZodType<RunEvent>;

export const eventsQuery = z.object({
  after: z.coerce.number().int().min(0).optional(),
  before: z.coerce.number().int().min(1).optional().describe("the events before this number, the nearest `limit`"),
  to: z.coerce.number().int().min(1).optional().describe("none after this number: what a `gap` asks for"),
  limit: z.coerce.number().int().min(1).max(5000).optional().describe("500 when left out"),
  type: text.optional().describe("comma-separated types"),
  step: text.optional().describe("package/verify, or the key of a visit: verify#2"),
  text: text.optional().describe("found in the event's data"),
});
export type EventsQuery = z.infer<typeof eventsQuery>;

export const eventsJson = z
  .object({
    events: z.array(runEventJson).describe("in order"),
    next: whole.nullable().describe("ask on with `after`; null when these were the last so far"),
    last_seq: whole.describe("of the run"),
    ended: yesOrNo.describe("the run does not go on by itself"),
  })
  .meta({ id: "Events" });
export type EventsJson = z.infer<typeof eventsJson>;
