// GET /api/stream?run=ID:SEQ&run=…&runs=1: server-sent events. Each message has `event:` with its name, `data:` with one
// JSON object, and, where it is about a run, `id: ID:SEQ`, the position to reconnect with. A comment every
// second tells that the server is there.
import { z } from "zod";
import { runEventJson } from "./past.ts";
import { runRowJson } from "./runs.ts";
import { text, time, whole, yesOrNo } from "./values.ts";

/** `event: events`. In order, without a gap after the last; the text of one step's chunks may be merged into one event. */
export const eventsMessageJson = z
  .object({
    run_id: text,
    from: whole.describe("the position before it: every event after it is here, or was merged into one that is"),
    to: whole.describe("the position after it"),
    events: z.array(runEventJson),
  })
  .meta({ id: "EventsMessage" });
export type EventsMessageJson = z.infer<typeof eventsMessageJson>;

/** `event: gap`. The reader was too slow, or asked for more than is sent: fetch /events?after=from&to=to, or the run anew. */
export const gapMessageJson = z
  .object({ run_id: text, from: whole, to: whole })
  .meta({ id: "GapMessage", description: "events after `from` and up to `to` are not sent here" });
export type GapMessageJson = z.infer<typeof gapMessageJson>;

/** `event: driver`. No event of a run says that its process was killed, nor that one that was silent is there again: ask for the run anew. */
export const driverMessageJson = z
  .object({ run_id: text, is_gone: yesOrNo.describe("it has no end, and nobody drives it") })
  .meta({ id: "DriverMessage" });
export type DriverMessageJson = z.infer<typeof driverMessageJson>;

/** `event: runs`, with `runs=1`: rows that are new or have changed. The first message has the newest fifty. */
export const runsMessageJson = z
  .object({ rows: z.array(runRowJson), removed: z.array(text).describe("runs that are not there any more") })
  .meta({ id: "RunsMessage" });
export type RunsMessageJson = z.infer<typeof runsMessageJson>;

/** `event: ping`, at the beginning and every 15 s. */
export const pingMessageJson = z.object({ server_time: time }).meta({ id: "PingMessage" });
export type PingMessageJson = z.infer<typeof pingMessageJson>;

/** `event: problem`: a run that cannot be followed (unknown, or not shown here); the others go on. */
export const streamProblemJson = z.object({ run_id: text, message: text }).meta({ id: "StreamProblem" });

export const STREAM_MESSAGES = {
  events: eventsMessageJson,
  gap: gapMessageJson,
  driver: driverMessageJson,
  runs: runsMessageJson,
  ping: pingMessageJson,
  problem: streamProblemJson,
} as const;
export type StreamMessageName = keyof typeof STREAM_MESSAGES;
