// The graph of a run, with the step that is chosen in all views.
import { useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { slotOf } from "../../../../../base/events/key.ts";
import { membersInOrder } from "../../../../../base/events/state/read.ts";
import type { FrameState, GroupState, NodeState } from "../../../../../base/events/state/state.ts";
import { itemsOfCell } from "../../../../../graph/paint/strip.ts";
import type { Picture, PictureBox } from "../../../../../graph/picture.ts";
import { type DrawnItems, drawnItem, itemMeant, lightOfNode, runLights } from "../../../state/run-lights.ts";
import type { RunMoment, RunViewProps } from "../../../state/run-model.ts";
import { chooseStep, selection } from "../../../state/selection.ts";
import { pictureId, type StepAddress, slotsOf, stepAddressOf } from "../../../state/step-address.ts";
import { recoveredIn } from "../just-happened.tsx";
import type { StripCell } from "./canvas.tsx";
import { GraphView } from "./index.tsx";

export function RunGraph({ about, moment }: RunViewProps) {
  const { step, item, at } = useComputed(() => selection.value).value;
  const drawn = useMemo(() => drawnIn(about.picture, step, item), [about.picture, step, item]);
  if (!about.picture)
    return (
      <p class="quiet">
        The files of this run cannot be loaded any more, so there is no graph. The other views have it all.
      </p>
    );
  const choose = (node: string, cell: StripCell | null): void => {
    const address = addressIn(moment, node, drawn);
    const group = groupAt(moment, address);
    if (group?.kind === "for_each" && cell !== null) {
      chooseItemOf(address, group, itemOfCell(moment, group, cell));
      return;
    }
    const owner = ownerOf(moment, about.picture, address);
    chooseStep(address, { item: owner ? itemShownAt(moment, owner, address, drawn) : null });
  };
  const nextItem = (node: string): void => {
    const address = addressIn(moment, node, drawn);
    const own = groupAt(moment, address);
    const owner = own?.kind === "for_each" ? { group: own, address } : ownerOf(moment, about.picture, address);
    if (!owner) return;
    const items = failedFirst(moment, owner.group).map(({ itemKey }) => itemKey ?? "");
    // With none chosen yet, the first of them is the next.
    const current = drawn.get(pictureId(owner.address));
    const next = items[current === undefined ? 0 : (items.indexOf(current) + 1) % items.length];
    chooseItemOf(owner.address, owner.group, next ?? null);
  };
  return (
    <GraphView
      name={moment.state.definitionHash || about.run_id}
      picture={about.picture}
      lights={runLights(moment, drawn)}
      chosen={step ? pictureId(step) : null}
      asked={at === null ? askedIn(moment) : []}
      matter={at === null ? matterOf(about, moment) : null}
      isLive={at === null && moment.state.status === "running" && !moment.state.isCutOff}
      choose={choose}
      nextItem={nextItem}
    />
  );
}

/** What the banner names: the step that the run failed at, or the one that recovered last. */
function matterOf({ banner }: RunViewProps["about"], { state }: RunMoment): string | null {
  const step = banner.status === "failed" ? banner.step : null;
  const address = stepAddressOf(step ?? recoveredIn(state)?.step ?? "");
  return address && pictureId(address);
}

const askedIn = ({ state }: RunMoment): readonly string[] =>
  state.status === "paused" || state.status === "running" ? [...state.gates.values()].map(pictureId) : [];

function chooseItemOf({ path }: StepAddress, group: GroupState, item: string | null): void {
  if (item === null || group.itemName === null) return;
  chooseStep({ path, node: group.itemName }, { item });
}

function failedFirst({ state }: RunMoment, group: GroupState, items = membersInOrder(group)): readonly NodeState[] {
  const isFailed = (one: NodeState): boolean => lightOfNode(state, group, one) === "failed";
  return [...items.filter(isFailed), ...items.filter((one) => !isFailed(one))];
}

/** The item that a cell stands for; of several the one that failed, or the first. */
function itemOfCell(moment: RunMoment, group: GroupState, { index, cells }: StripCell): string | null {
  const items = membersInOrder(group);
  const meant = items.slice(...itemsOfCell(index, cells, Math.max(items.length, group.count)));
  return failedFirst(moment, group, meant)[0]?.itemKey ?? null;
}

function drawnIn(picture: Picture | null, step: StepAddress | null, item: string | null): DrawnItems {
  const drawn = new Map<string, string>();
  if (!step) return drawn;
  for (const [index, slot] of step.path.entries()) {
    const found = /^([^[]*)\[([\s\S]*)\]$/.exec(slot);
    if (found?.[1] !== undefined && found[2] !== undefined)
      drawn.set(pictureId({ path: step.path.slice(0, index), node: found[1] }), found[2]);
  }
  const card = item === null || !picture ? undefined : cardAround(picture, pictureId(step));
  if (card && item !== null) drawn.set(card.id, item);
  return drawn;
}

const frameOf = ({ state }: Pick<RunMoment, "state">, path: readonly string[]): FrameState | undefined =>
  path.reduce<FrameState | undefined>((frame, slot) => frame?.frames.get(slot), state.root);

const groupAt = (moment: RunMoment, { path, node }: StepAddress): GroupState | null =>
  frameOf(moment, path)?.nodes.get(node)?.group ?? null;

interface Owner {
  readonly group: GroupState;
  readonly address: StepAddress;
}

/** The for_each that a step runs in: as its inline step, or in an item's place. */
function ownerOf(moment: RunMoment, picture: Picture | null, step: StepAddress): Owner | undefined {
  const card = picture ? cardAround(picture, pictureId(step)) : undefined;
  if (!card) return undefined;
  const address = { path: step.path, node: card.name };
  const group = groupAt(moment, address);
  return group?.kind === "for_each" ? { group, address } : undefined;
}

/** The for_each that a node is drawn in, and not deeper inside it. */
function cardAround({ items }: Pick<Picture, "items">, id: string): PictureBox | undefined {
  for (const item of items) {
    if (item.kind === "node") continue;
    if (item.of === "for_each" && item.items.some((inner) => inner.id === id)) return item;
    const deeper = cardAround(item, id);
    if (deeper) return deeper;
  }
  return undefined;
}

/** Which item a click on a step means: the one that is drawn, or of what ran in an item's place one that came there. */
function itemShownAt(
  moment: RunMoment,
  { group, address }: Owner,
  step: StepAddress,
  drawn: DrawnItems,
): string | null {
  const chosen = drawn.get(pictureId(address));
  const meant = chosen === undefined ? itemMeant(moment, step) : null;
  return meant ?? drawnItem(group, chosen)?.itemKey ?? null;
}

/** A node of the picture as the address names it: with the items that are drawn. */
function addressIn(moment: RunMoment, id: string, drawn: DrawnItems): StepAddress {
  const parts = slotsOf(id);
  const path: string[] = [];
  for (const part of parts.slice(0, -1)) {
    const group = frameOf(moment, path)?.nodes.get(part)?.group;
    const item = group?.kind === "for_each" ? drawnItem(group, drawn.get(pictureId({ path, node: part }))) : undefined;
    path.push(item ? slotOf("", { group: part, key: item.itemKey ?? "" }) : part);
  }
  return { path, node: parts.at(-1) ?? id };
}
