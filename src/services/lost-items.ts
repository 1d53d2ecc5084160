// The items and members that groups of a run went on without, as the places that have to run again to get them back.
import { withoutRounds } from "../events/key.ts";
import type { FrameState, NodeState, RunState } from "../events/state.ts";
import { currentWarnings } from "../events/warnings.ts";
import type { RunStore } from "../hosts/store.ts";
import { COMMAND_LINE, type Reader } from "../results/index.ts";

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

/** How to get back what a run went on without; nothing when it lost nothing, or when whoever reads cannot. */
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

/** The member's own, and those inside of it that it failed by: they would raise the same again from what was recorded. */
function* failedKeys(node: NodeState | undefined): Iterable<string> {
  if (!node) return;
  if (node.key !== null) yield node.key;
  const { frame, group } = node;
  if (frame && frame.lastFailed !== null) yield* failedKeys(frame.nodes.get(frame.lastFailed));
  for (const { node: name, itemKey } of group?.failures.values() ?? [])
    yield* failedKeys(group?.members.get(itemKey ?? name));
}
