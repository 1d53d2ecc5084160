// Where the root workflow stands between two visits of its nodes, as JSON: all that a drive needs to go on from there
// without walking through what was done before. Between two such visits nothing else is under way.
import type { EventData } from "../base/events/registry.ts";
import type { PackedContext } from "./context/context.ts";
import type { LedBy, WorkflowFrame } from "./frame.ts";
import type { PackedLost } from "./lost-members.ts";

export interface FramePosition {
  /** The node that is visited next. */
  readonly node: string;
  readonly led: LedBy | null;
  readonly visits: readonly (readonly [string, number])[];
  readonly via: readonly (readonly [string, number])[];
  readonly lost: PackedLost;
  readonly context: PackedContext;
  /** What templates of the root's nodes remarked: each drive records it once. */
  readonly remarks: readonly string[];
  /** Digests of definitions that the drive has recorded. */
  readonly definitions: readonly (readonly [string, string])[];
}

/** Where a drive begins that goes on from a keyframe, and what it records of that. */
export interface Start {
  readonly position: FramePosition;
  readonly recorded: EventData<"keyframe_resumed">;
}

/** It shares its values with the frame: a caller that keeps it must serialize it. */
export const framePosition = (frame: WorkflowFrame, node: string, led: LedBy | undefined): FramePosition => ({
  node,
  led: led ?? null,
  visits: [...frame.visits],
  via: [...frame.via],
  lost: frame.lost.packed(),
  context: frame.context.packed(),
  remarks: [...frame.remarks],
  definitions: [...frame.definitions.recorded],
});

/** Brings a new frame of the root to that position, and records it. */
export function goOnFrom(frame: WorkflowFrame, { position, recorded }: Start): void {
  const { note } = frame.engine.durable;
  for (const [node, visits] of position.visits) frame.visits.set(node, visits);
  for (const [budget, used] of position.via) frame.via.set(budget, used);
  frame.context.restore(position.context);
  note(frame.path, "keyframe_resumed", recorded);
  for (const remark of position.remarks) {
    const [node = "", ...message] = remark.split("|");
    frame.remarks.add(remark);
    note(frame.path, "warning", { node: node === "" ? null : node, message: message.join("|") });
  }
}
