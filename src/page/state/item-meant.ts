// Which item is meant where a step of a for_each is chosen, and none of its items: the one that the graph draws.
import { isInsideSomeVisit } from "../../events/key.ts";
import { membersInOrder } from "../../events/state/read.ts";
import type { FrameState, NodeState } from "../../events/state/state.ts";
import type { StepStatus } from "../../events/status.ts";
import { drawnItem } from "./run-lights.ts";
import type { RunMoment } from "./run-model.ts";
import type { StepAddress } from "./step-address.ts";

/** Null: the step does not run in items, or has not come to any. */
export function itemMeant({ state }: Pick<RunMoment, "state">, { path, node }: StepAddress): string | null {
  const frame = path.reduce<FrameState | undefined>((within, slot) => within?.frames.get(slot), state.root);
  const key = frame?.nodes.get(node)?.key ?? null;
  for (const { group } of frame?.nodes.values() ?? []) {
    if (group?.kind !== "for_each") continue;
    if (group.itemName === node) return drawnItem(group, undefined)?.itemKey ?? null;
    if (key === null || !isInsideSomeVisit(key, group.key)) continue;
    const items = membersInOrder(group);
    return (
      (items.find((item) => cameTo(item, node, "failed")) ?? items.find((item) => cameTo(item, node)))?.itemKey ?? null
    );
  }
  return null;
}

/** Whether the step ran in the item's place. */
const cameTo = ({ way }: NodeState, step: string, end?: StepStatus): boolean =>
  way?.standIns.some(({ name, status }) => name === step && (end === undefined || status === end)) ?? false;
