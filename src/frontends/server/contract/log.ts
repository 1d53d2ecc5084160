// What a run has left behind: its log, also as the live stream, its state at some moments, its story, its spans, and
// what its processes printed.
import { z } from "zod";
import type { RunEvent } from "../../../base/events/registry.ts";
import type { ExplainAnswer } from "../../../services/explain/index.ts";
import { packedStateJson, takenRouteJson } from "./run.ts";
import { runRowJson } from "./runs.ts";
import { anyJson, mapJson, shape, text, time, whole, yesOrNo } from "./values.ts";

/** `RunEvent` of src/base/events, redacted; values that are too long stand in it as a `$big`. */
export const runEventJson = shape("RunEvent", {
  seq: whole,
  ts: time,
  type: text,
  run_id: text,
  path: z.array(text),
  data: z.record(text, anyJson),
}) as unknown as z.ZodType<RunEvent>;

export const eventsQuery = z.object({
  after: z.coerce.number().int().min(0).optional(),
  before: z.coerce.number().int().min(1).optional().describe("the events before this number, the nearest `limit`"),
  to: z.coerce.number().int().min(1).optional().describe("none after this number: what a `gap` asks for"),
  limit: z.coerce.number().int().min(1).max(5000).optional().describe("500 when left out"),
  type: text.optional().describe("comma-separated types"),
  step: text.optional().describe("package/verify, or the key of a visit: verify#2"),
  text: text.optional().describe("found in the event's data"),
});

export const eventsJson = shape("Events", {
  events: z.array(runEventJson).describe("in order"),
  next: whole.nullable().describe("ask on with `after`; null when these were the last so far"),
  last_seq: whole.describe("of the run"),
  ended: yesOrNo.describe("the run does not go on by itself"),
});
export type EventsJson = z.infer<typeof eventsJson>;

// Replay: the fold at some moments, so that the picture at any moment is a keyframe and a few events.

export const keyframesQuery = z.object({
  at: z.coerce.number().int().min(0).optional().describe("the event at which the picture is wanted"),
});

/** Where keyframes are: for the slider. */
export const keyframeIndexJson = shape("KeyframeIndex", {
  last_seq: whole,
  every: whole.describe("about how many events are between two"),
  keyframes: z.array(z.object({ seq: whole, at: time.nullable() })).describe("the first is 0: nothing has happened"),
});

/** `GET …/keyframes?at=SEQ`: the keyframe at or before it, and the events from there up to the next keyframe. */
export const keyframeJson = shape("Keyframe", {
  seq: whole,
  at: time.nullable(),
  state: packedStateJson,
  taken: z.array(takenRouteJson),
  events: z
    .array(runEventJson)
    .describe("those that change the picture, after `seq` and up to `until`: fold as many as you need"),
  until: whole.describe("the seq of the next keyframe, or the last of the run"),
  last_seq: whole,
});
export type KeyframeJson = z.infer<typeof keyframeJson>;

const attributes = z.record(text, z.union([text, z.number(), z.boolean()]));

const spanJson = z
  .object({
    id: text,
    name: text,
    start: time,
    end: time,
    duration_ms: z.number(),
    status: z.enum(["ok", "error", "unset"]),
    message: text.optional(),
    attributes,
    events: z.array(z.object({ name: text, at: time, attributes })),
    links: z.array(z.object({ trace_id: text, span_id: text, attributes })).describe("spans that it goes back to"),
    get children() {
      return z.array(spanJson);
    },
  })
  .meta({ id: "Span" });

/** A run as OpenTelemetry spans: `segno trace`, without sending them anywhere. */
export const traceJson = shape("Trace", {
  run_id: text,
  trace_id: text,
  spans: z.array(spanJson).describe("one for the run, with the others below it"),
});

// The story of a run: `segno explain`, as data.

export const explainQuery = z.object({
  failed_items: z.enum(["1"]).optional().describe("`resume`: what running the lost items again would do"),
});

export const explainJson = shape("Explain", {
  run: mapJson.nullable(),
  chapters: z.array(mapJson),
  resume: mapJson.nullable().describe("what a resume would do now; null: it cannot be resumed, or is being driven"),
  next: z.array(text),
});

/** The parts are those of src/services/explain (`Chapter`, `Trouble`, `ResumePlan`). */
export type ExplainJson = Pick<ExplainAnswer, "run" | "chapters" | "resume" | "next">;

// All of what a process printed, in windows of rows, and where a text stands in it: however much it is.

const printedQuery = z.object({
  key: text.describe("the key of the visit"),
  attempt: z.coerce.number().int().min(1),
  drive: z.coerce.number().int().min(1),
  stream: z.enum(["stdout", "stderr"]),
});

export const rowsQuery = printedQuery.extend({
  from: z.coerce.number().int().min(0).default(0).describe("the first row that is wanted"),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});

export const foundQuery = printedQuery.extend({
  text: z.string().min(1).max(500).describe("in capitals or not; colours and the like are not looked at"),
});

const rowCount = whole.describe("how many rows are known so far; a line of more than 8 192 characters is several");
const isAll = yesOrNo.describe("false: more is being read, or printed; ask again");

export const printedRowsJson = shape("PrintedRows", {
  from: whole,
  rows: z.array(text),
  row_count: rowCount,
  is_all: isAll,
  source: z
    .enum(["log", "file"])
    .describe("the log has the first 10 MiB; the file with all of it is on the machine that ran the script"),
});
export type PrintedRowsJson = z.infer<typeof printedRowsJson>;

export const foundRowsJson = shape("FoundRows", {
  count: whole.describe("how many rows hold it"),
  rows: z.array(whole).describe("their numbers, the first 50 000"),
  row_count: rowCount,
  is_all: isAll,
});
export type FoundRowsJson = z.infer<typeof foundRowsJson>;

export const STREAM_MESSAGES = {
  /** In order, without a gap after the last; the text of one step's chunks may be merged into one event. */
  events: shape("EventsMessage", {
    run_id: text,
    from: whole.describe("the position before it: every event after it is here, or was merged into one that is"),
    to: whole.describe("the position after it"),
    events: z.array(runEventJson),
  }),
  /** The reader was too slow, or asked for more than is sent: fetch /events?after=from&to=to, or the run anew. */
  gap: z
    .object({ run_id: text, from: whole, to: whole })
    .meta({ id: "GapMessage", description: "events after `from` and up to `to` are not sent here" }),
  /** No event of a run says that its process was killed, nor that one that was silent is there again: ask for the run anew. */
  driver: shape("DriverMessage", { run_id: text, is_gone: yesOrNo.describe("it has no end, and nobody drives it") }),
  /** With `runs=1`: rows that are new or have changed. The first message has the newest fifty. */
  runs: shape("RunsMessage", {
    rows: z.array(runRowJson),
    removed: z.array(text).describe("runs that are not there any more"),
  }),
  /** At the beginning and every 15 s. */
  ping: shape("PingMessage", { server_time: time }),
  /** A run that cannot be followed (unknown, or not shown here); the others go on. */
  problem: shape("StreamProblem", { run_id: text, message: text }),
} as const;
export type StreamMessageName = keyof typeof STREAM_MESSAGES;
export type StreamMessage<Name extends StreamMessageName> = z.infer<(typeof STREAM_MESSAGES)[Name]>;
