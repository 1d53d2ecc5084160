// Reading a run's state: what a node's status means now, how long the run was driven, what is in the file's order.
import type { StepStatus } from "../node-types.ts";
import { LEFT_RUNNING } from "../run-end.ts";
import type { FrameState, GroupState, NodeState, OutlineNode, RunState } from "./state.ts";

/** Milliseconds from the beginning of the present drive to its last event, or to `now`. */
export function driveMs(state: RunState, now?: number): number {
  if (state.driveStartedAt === null || state.lastAt === null) return 0;
  return Math.max(0, (now ?? Date.parse(state.lastAt)) - Date.parse(state.driveStartedAt));
}

/** Milliseconds that the run was driven, or waited in a wait step. Null before the first event. */
export const activeMs = (state: RunState, now?: number): number | null =>
  state.driveStartedAt === null ? null : state.activeBeforeMs + driveMs(state, now);

/** The same run, marked as no longer driven by any process: its events do not say so. */
export const cutOff = (state: RunState): RunState =>
  state.status === "running" ? { ...state, isCutOff: true } : state;

/** A node's status on the run's present course. `within`: the frame, or the group, that it belongs to. */
export function statusOf(state: RunState, within: FrameState | GroupState, node: NodeState | undefined): StepStatus {
  if (!node) return "not_executed";
  if (node.drive !== within.drive) return isDoneBefore(state, within, node) ? node.status : "not_executed";
  if (node.status === "running") return state.isCutOff ? "cut_off" : LEFT_RUNNING[state.status];
  return node.status === "recovered" && isLetDown(state, within, node) ? "failed" : node.status;
}

/**
 * An earlier drive completed it, and the last one stopped before it came there, and before it ran anything: a resume
 * can build on it. While a process drives the run, and once the run has ended by itself, what the drive did not reach is
 * not part of its course. Only steps of the root's file: a sub-workflow's frame may hold steps of an earlier visit.
 */
function isDoneBefore(state: RunState, within: FrameState | GroupState, node: NodeState): boolean {
  if (within !== state.root || node.drive === 0 || node.drive >= within.drive || node.drive < state.startedAnew)
    return false;
  return canGoOn(state) && (node.status === "completed" || (node.status === "recovered" && node.handedTo === null));
}

const canGoOn = ({ status, isCutOff, failure }: RunState): boolean =>
  isCutOff === true ||
  status === "paused" ||
  status === "cancelled" ||
  (status === "failed" && failure?.resumable !== false);

/** The step that its error was handed to will not be continued. */
function isLetDown(state: RunState, within: FrameState | GroupState, { handedTo }: NodeState): boolean {
  if (handedTo === null) return false;
  const { status, isCutOff = false } = state;
  return (
    isCutOff || status === "failed" || status === "cancelled" || ("status" in within && within.status === "failed")
  );
}

/** How long all attempts took; a cut off one until the run's last event, a driven one until `now`. */
export function tookMs(state: RunState, node: NodeState, status: StepStatus, now?: number): number {
  const until = status === "cut_off" ? momentOf(state.lastAt) : status === "running" ? (now ?? null) : null;
  const began = momentOf(node.startedAt);
  if (until === null || began === null) return node.elapsedMs;
  // An item is known to run before it is known to have begun: that it began in an earlier drive says nothing of this one.
  const from = status === "running" ? Math.max(began, momentOf(state.driveStartedAt) ?? began) : began;
  return node.elapsedMs + Math.max(0, until - from);
}

const momentOf = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

/** The nodes of a workflow in file order, each with what is known of it. */
export const nodesInOrder = (
  frame: FrameState,
): { readonly outline: OutlineNode; readonly node: NodeState | undefined }[] =>
  frame.outline.nodes.map((outline) => ({ outline, node: frame.nodes.get(outline.name) }));

/** Members in the group's order; items by their place in the list. */
export const membersInOrder = (group: GroupState): NodeState[] => {
  const members = [...group.members.values()];
  return group.kind === "parallel" ? members : members.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
};

/** From the root to the group whose members raised the unhandled error, if it was one. */
export function failedGroup(
  state: RunState,
): { readonly name: string; readonly group: GroupState; readonly path: readonly string[] } | null {
  let frame = state.root;
  let name = state.failure?.node ?? null;
  const path: string[] = [];
  while (name !== null) {
    const node = frame.nodes.get(name);
    if (node?.group && node.group.failures.size > 0) return { name, group: node.group, path };
    if (!node?.frame || node.frame.slot === null) return null;
    path.push(node.frame.slot);
    frame = node.frame;
    name = frame.lastFailed;
  }
  return null;
}
