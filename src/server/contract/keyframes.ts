// Replay: the fold at some moments, so that the picture at any moment is a keyframe and a few events.
import { z } from "zod";
import { runEventJson } from "./events.ts";
import { packedStateJson, takenRouteJson } from "./run.ts";
import { time, whole } from "./values.ts";

export const keyframesQuery = z.object({
  at: z.coerce.number().int().min(0).optional().describe("the event at which the picture is wanted"),
});

/** Where keyframes are: for the slider. */
export const keyframeIndexJson = z
  .object({
    last_seq: whole,
    every: whole.describe("about how many events are between two"),
    keyframes: z.array(z.object({ seq: whole, at: time.nullable() })).describe("the first is 0: nothing has happened"),
  })
  .meta({ id: "KeyframeIndex" });
export type KeyframeIndexJson = z.infer<typeof keyframeIndexJson>;

/** `GET …/keyframes?at=SEQ`: the keyframe at or before it, and the events from there up to the next keyframe. */
export const keyframeJson = z
  .object({
    seq: whole,
    at: time.nullable(),
    state: packedStateJson,
    taken: z.array(takenRouteJson),
    events: z
      .array(runEventJson)
      .describe("those that change the picture, after `seq` and up to `until`: fold as many as you need"),
    until: whole.describe("the seq of the next keyframe, or the last of the run"),
    last_seq: whole,
  })
  .meta({ id: "Keyframe" });
export type KeyframeJson = z.infer<typeof keyframeJson>;
