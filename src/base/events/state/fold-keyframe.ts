// The fold's share for a drive that goes on from a keyframe: what was done before it belongs to this drive's course, as if
// each step of it had been reused one by one.
import { callerOfSlot } from "../key.ts";
import type { StepStatus } from "../node-types.ts";
import type { EventData } from "../registry.ts";
import { keepHandlers } from "./fold-steps.ts";
import { setStatus, touch } from "./frames.ts";
import type { FrameState, NodeState, RunState } from "./state.ts";

export function goOnFromKeyframe(state: RunState, { nodes }: EventData<"keyframe_resumed">): void {
  const { root } = state;
  for (const { name, key, status, handed_to = null } of nodes) {
    const node = root.nodes.get(name);
    if (!node) continue;
    const { drive } = node;
    const isAsThen = node.key === key;
    touch(root, node, key);
    setStatus(node, status as StepStatus);
    node.cached = true;
    node.handedTo = handed_to;
    if (status === "completed") node.error = null;
    if (isAsThen) takeInside(root, node, drive, state.drives);
  }
  // A sub-workflow that is still open is entered again, and warns again.
  const ended = new Set(nodes.flatMap(({ name }) => [name, ...membersOf(root.nodes.get(name))]));
  for (const [key, warning] of state.warnings) {
    const [slot] = warning.path;
    if (isOfPlace(warning.kind, warning.path) && (slot === undefined || ended.has(callerOfSlot(slot))))
      state.warnings.set(key, { ...warning, drive: state.drives });
  }
}

const membersOf = (node: NodeState | undefined): Iterable<string> =>
  node?.group?.kind === "parallel" ? node.group.members.keys() : [];

/** What a walk would warn of again; remarks of the root's own templates are recorded again. */
const isOfPlace = (kind: string, path: readonly string[]): boolean =>
  kind === "recovered" || kind === "lost_member" || (kind === "note" && path.length > 0);

/** What raised is reused whole, with its handler's work; what ended well was entered again, and each step inside it reused. */
function takeInside(within: FrameState, { status, key, group, frame }: NodeState, from: number, to: number): void {
  if (status !== "completed") {
    if (group && key !== null) keepHandlers(within, key);
    return;
  }
  if (group && group.drive === from) {
    group.drive = to;
    for (const member of group.members.values()) takeOver(within, member, from, to);
  }
  if (frame) takeFrame(frame, from, to);
}

function takeFrame(frame: FrameState, from: number, to: number): void {
  if (frame.drive !== from) return;
  frame.drive = to;
  for (const node of frame.nodes.values()) takeOver(frame, node, from, to);
}

function takeOver(within: FrameState, node: NodeState, from: number, to: number): void {
  if (node.drive !== from) return;
  node.drive = to;
  node.cached = true;
  takeInside(within, node, from, to);
}
