// The items and members that groups of a run went on without, as the places that have to run again to get them back.
import { withoutRounds } from "../events/key.ts";
import type { FrameState, NodeState, RunState } from "../events/state.ts";
import { currentWarnings } from "../events/warnings.ts";

export function lostPlaces(state: RunState): ReadonlySet<string> {
  const places = new Set<string>();
  for (const { kind, path, group, node, itemKey } of currentWarnings(state)) {
    if (kind !== "lost_member" || group === null) continue;
    const frame = path.reduce<FrameState | undefined>((within, slot) => within?.frames.get(slot), state.root);
    const member = frame?.nodes.get(group)?.group?.members.get(itemKey ?? node ?? "");
    for (const key of failedKeys(member)) places.add(withoutRounds(key));
  }
  return places;
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
