// The items and members that groups of a run went on without, as the places that have to run again to get them back.
import { withoutRounds } from "../../base/events/key.ts";
import { statusOf } from "../../base/events/state/read.ts";
import type { FrameState, NodeState, RunState } from "../../base/events/state/state.ts";
import { currentWarnings } from "../../base/events/state/warnings.ts";
import { COMMAND_LINE, type Reader, type Result } from "../../base/results/index.ts";
import type { RunStore } from "../../storage/store.ts";

export function lostPlaces(state: RunState): ReadonlySet<string> {
  const places = new Set<string>();
  for (const { kind, path, group: name, node, itemKey, members } of currentWarnings(state)) {
    if (kind !== "lost_member" || name === null) continue;
    const frame = path.reduce<FrameState | undefined>((within, slot) => within?.frames.get(slot), state.root);
    const group = frame?.nodes.get(name)?.group;
    // An entry that several share names none of them: then it is everything that the group lost.
    const lost = members === undefined ? [itemKey ?? node ?? ""] : (group?.failures.keys() ?? []);
    for (const one of lost) for (const key of failedKeys(group?.members.get(one))) places.add(withoutRounds(key));
  }
  return places;
}

/** A group may have lost members, or a parent have done without a child. */
export const hasEndedWell = ({ status }: Pick<RunState, "status">): boolean =>
  status === "degraded" || status === "completed";

/** By a `terminate` step or a `halt` route. */
export const hasEndedByItself = ({ status, failure }: Pick<RunState, "status" | "failure">): boolean =>
  status === "terminated" || (status === "failed" && failure !== null && !failure.resumable);

/** How to get back what a run went on without; nothing when it lost nothing, or when the reader cannot. */
export async function howToGetBack(
  state: RunState,
  store: RunStore,
  reader: Reader = COMMAND_LINE,
): Promise<string | undefined> {
  const { runId: run } = state;
  const open = await store.state.letters.list({ runId: run, status: "open", limit: 1 });
  const ways = [
    ...(lostPlaces(state).size > 0 ? [reader.ask({ to: "run lost items", run })] : []),
    ...(open.length > 0 ? [reader.ask({ to: "retry", run })] : []),
  ].filter((way) => way !== null);
  return ways.length === 0 ? undefined : `To run again what it went on without: ${ways.join(", or ")}`;
}

/** Of lost items that ran after the run's end: its result, but success is whether the items went well. */
export function resultOfRetry(result: Result, state: RunState, places: ReadonlySet<string>): Result {
  const open = [...places].filter((place) => !isDoneAt(state, place));
  if (open.length === 0) return { ...result, success: true, exit_code: 0, error: null, errors: [] };
  const items = open.length === 1 ? "a lost item" : `${open.length} of ${places.size} lost items`;
  return { ...result, success: false, exit_code: 3, error: `${items} failed again` };
}

/** Whether what stands at a place ended well, or is no part of the run any more. */
export function isDoneAt(state: RunState, place: string): boolean {
  const found = placeIn(state.root, place);
  if (!found) return true;
  const status = statusOf(state, found.node.owner ?? found.frame, found.node);
  return status === "completed" || status === "recovered" || status === "not_executed";
}

function placeIn(
  frame: FrameState,
  place: string,
): { readonly frame: FrameState; readonly node: NodeState } | undefined {
  for (const [key, node] of frame.byKey) if (withoutRounds(key) === place) return { frame, node };
  for (const inner of frame.frames.values()) {
    const found = placeIn(inner, place);
    if (found) return found;
  }
  return undefined;
}

/** The member's own, and those inside of it that it failed by: they would raise the same again from what was recorded. */
function* failedKeys(node: NodeState | undefined): Iterable<string> {
  if (!node) return;
  if (node.key !== null) yield node.key;
  const { frame, group } = node;
  if (frame && frame.lastFailed !== null) yield* failedKeys(frame.nodes.get(frame.lastFailed));
  for (const { node: name, itemKey } of group?.failures.values() ?? [])
    yield* failedKeys(group?.members.get(itemKey ?? name));
}
