// One run as the page first gets it: the fold, the picture, what to do next. Never the log.
import { z } from "zod";
import type { PackedState } from "../../../base/events/state/packed-state.ts";
import type { Picture } from "../../../graph/picture.ts";
import { endingJson, envelopeJson, mapJson, runStatusJson, shape, text, time, whole, yesOrNo } from "./values.ts";

// What a graph is drawn from: `Picture` of src/graph/picture.ts as JSON. The page lays it out with src/graph.

const pictureNode = z.object({
  kind: z.literal("node"),
  id: text,
  name: text,
  detail: text,
  shape: z.enum([
    "step",
    "gate",
    "terminate_success",
    "terminate_failed",
    "start",
    "end",
    "halt",
    "parent",
    "any",
    "folded",
  ]),
  tooltip: text.nullable().describe("why a terminate step ends the run"),
});

const pictureEdge = z.object({
  from: text,
  to: text,
  on: z.enum(["success", "error"]),
  isConditional: z.boolean(),
  isRetry: z.boolean(),
  label: z.array(text),
  route: text.describe("by which a taken route finds its edge: `routeId` of src/graph/lights.ts"),
});

const pictureBox = z.object({
  kind: z.literal("box"),
  id: text,
  name: text,
  detail: text,
  of: z.enum(["parallel", "for_each", "workflow"]),
  get items() {
    return z.array(pictureItem);
  },
  edges: z.array(pictureEdge),
  steps: whole.describe("how many steps are inside, those of sub-workflows included"),
});

const pictureItem: z.ZodType<Picture["items"][number]> = z
  .lazy(() => z.union([pictureNode, pictureBox]))
  .meta({ id: "PictureItem" }) as z.ZodType<Picture["items"][number]>;

export const pictureJson = shape("Picture", { title: text, items: z.array(pictureItem), edges: z.array(pictureEdge) });

/**
 * `PackedState` of src/base/events/state/packed-state.ts: `unpackState` makes it a `RunState` with which `apply` goes on. It is
 * redacted, and values that are too long stand in it as a `$big`.
 */
export const packedStateJson: z.ZodType<PackedState> = mapJson.meta({
  id: "PackedState",
}) as unknown as z.ZodType<PackedState>;

/** A route that the run took, and how often: which edges of the picture are lit. src/base/events/taken-routes.ts folds them. */
export const takenRouteJson = z.object({
  path: z.array(text).describe("slots of the sub-workflows"),
  from: text,
  to: text.nullable().describe("null: a plain retry, halt or propagate"),
  table: z.enum(["step", "workflow", "resilience", "answer"]),
  index: whole.nullable().describe("of `answer`: the place of the gate's option; null: `$end` without a route"),
  action: z.enum(["route", "to", "retry", "halt", "propagate", "escalate", "dead_letter"]),
  count: whole,
  seq: whole.describe("of the last time"),
});

export const commandJson = z.object({
  what: z.enum(["resume", "answer", "retry", "cancel", "show", "other"]),
  text: text.describe("the sentence, or the command with what it is for"),
  command: text.nullable().describe("to copy: `segno resume 01J…`"),
});

export type CommandJson = z.infer<typeof commandJson>;

export const bannerJson = shape("Banner", {
  status: runStatusJson,
  termination: endingJson.nullable(),
  headline: text.nullable().describe("the reason, the error's message, the question; null when all went well"),
  reason: text.nullable().describe("of `terminated` and `cancelled`"),
  step: text.nullable().describe("the step that failed, ended or asks, with its sub-workflows: package/verify"),
  kind: text.nullable(),
  error: envelopeJson.nullable(),
  lost: whole.describe("how many members groups went on without"),
  next: z.array(commandJson),
});

export const driverJson = z.object({ pid: whole, host: text, since: time, is_here: yesOrNo });

export const runSnapshotJson = shape("RunSnapshot", {
  run_id: text,
  seq: whole.describe("the last event that is in `state`: the stream goes on after it"),
  workflow: text,
  file: text.describe("relative to the root"),
  status: runStatusJson,
  resumable: yesOrNo,
  state: packedStateJson,
  taken: z.array(takenRouteJson),
  picture: (pictureJson as unknown as z.ZodType<Picture>)
    .nullable()
    .describe("of the files that the newest drive was started with; null when they cannot be loaded any more"),
  banner: bannerJson,
  driver: driverJson.nullable().describe("who drives it now"),
  drives: z.array(
    z.object({ drive: whole, seq: whole, began_at: time, ended_at: time.nullable(), status: runStatusJson.nullable() }),
  ),
  letters: z.array(text).describe("open dead letters of the run"),
  letters_why_not: text.nullable().describe("why none of them can be retried now; null: they can"),
  took_ms: whole.nullable().describe("time in which it was driven, so far"),
  cost_usd: z.number().nullable(),
  server_time: time,
});
export type RunSnapshotJson = z.infer<typeof runSnapshotJson>;
