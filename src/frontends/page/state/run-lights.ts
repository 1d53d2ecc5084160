// What the graph shows of a moment: the states of the fold as lights of the picture. Items of a for_each share one
// drawing; the user chooses which of them is drawn inside.
import { callerOfSlot, handlerKey, isInsideSomeVisit, nodePath, slotOf } from "../../../base/events/key.ts";
import { onlyWaits, type StepStatus } from "../../../base/events/node-types.ts";
import { wayOf } from "../../../base/events/state/fold-groups.ts";
import { newNode } from "../../../base/events/state/frames.ts";
import { membersInOrder, statusOf } from "../../../base/events/state/read.ts";
import type { FrameState, GroupState, NodeState, RunState } from "../../../base/events/state/state.ts";
import type { TakenRoute, TakenRoutes } from "../../../base/events/taken-routes.ts";
import {
  CUT_OFF_WORD,
  completedWithout,
  entryId,
  failedThough,
  type LightState as Light,
  type Lights,
  type NodeLight,
  waitsForCircuit,
} from "../../../graph/lights.ts";
import { isOnCourse, takenRouteIds } from "../../../graph/run-ids.ts";
import type { RunMoment } from "./run-model.ts";
import { pictureId, type StepAddress } from "./step-address.ts";

type Route = Omit<TakenRoute, "count" | "seq">;

/** The item that is drawn in a for_each, by the id of its group in the picture. */
export type DrawnItems = ReadonlyMap<string, string>;

export function runLights({ state, taken }: RunMoment, drawn: DrawnItems): Lights {
  const lighting = new Lighting(state, drawn);
  lighting.frame(state.root, []);
  const { nodes } = lighting;
  const routes = [...lighting.routes(taken)].filter((route) => isOnCourse(route, nodes)).flatMap(takenRouteIds);
  return { nodes, taken: [...routes, ...Object.keys(nodes).map(entryId)] };
}

class Lighting {
  readonly nodes: Record<string, NodeLight> = {};
  /** Paths of the frames that are drawn. */
  readonly #shown = new Set<string>();
  /** Steps, as paths, that are drawn as they went for one item, and the routes of that item. */
  readonly #ofOneItem = new Set<string>();
  readonly #routesOfItems: Route[] = [];

  constructor(
    readonly state: RunState,
    readonly drawn: DrawnItems,
  ) {}

  frame(frame: FrameState, path: readonly string[]): void {
    this.#shown.add(path.join("/"));
    for (const node of frame.nodes.values()) {
      const light = this.#light(frame, node, path);
      // What is inside a step that the run has not come to again is left behind with it.
      if (!light) continue;
      this.nodes[pictureId({ path, node: node.name })] = light;
      if (node.group) this.#group(node.group, frame, path);
      else if (node.frame) this.#child(frame, node.name, path);
    }
    for (const { group } of frame.nodes.values()) {
      const item = group && this.#chosenIn(group, path);
      if (group && item) this.#onlyItem(group, item, frame, path);
    }
  }

  /** The routes that were taken in what is drawn: of an item that was chosen its own, otherwise those of all. */
  *routes(taken: TakenRoutes): Iterable<Route> {
    for (const route of taken.values())
      if (this.#shown.has(route.path.join("/")) && !this.#ofOneItem.has(nodePath(route.path, route.from))) yield route;
    yield* this.#routesOfItems;
  }

  #chosenIn(group: GroupState, path: readonly string[]): NodeState | undefined {
    const key = this.drawn.get(pictureId({ path, node: group.name }));
    return group.kind === "for_each" && key !== undefined ? group.members.get(key) : undefined;
  }

  /** What ran in the place of another item is no part of the picture of this one. */
  #onlyItem(group: GroupState, item: NodeState, frame: FrameState, path: readonly string[]): void {
    const way = wayOf(group, item);
    if (group.itemName !== null) this.#ofOneItem.add(nodePath(path, group.itemName));
    for (const { name, key } of frame.nodes.values()) {
      if (key === null || !isInsideSomeVisit(key, group.key)) continue;
      this.#ofOneItem.add(nodePath(path, name));
      delete this.nodes[pictureId({ path, node: name })];
    }
    for (const standIn of way?.standIns ?? []) {
      const key = item.key === null ? null : handlerKey(item.key, standIn.name);
      const node = { ...newNode(standIn.name, standIn.type, group), ...standIn, key, drive: group.drive };
      const light = this.#light(group, node, path);
      if (light) this.nodes[pictureId({ path, node: standIn.name })] = light;
    }
    for (const route of way?.routes ?? []) this.#routesOfItems.push({ path, ...route });
  }

  #group(group: GroupState, frame: FrameState, path: readonly string[]): void {
    if (group.kind === "parallel") {
      for (const member of group.members.values()) {
        const light = this.#light(group, member, path);
        if (light) this.nodes[pictureId({ path, node: member.name })] = light;
        this.#child(frame, member.name, path);
      }
      return;
    }
    const item = drawnItem(group, this.drawn.get(pictureId({ path, node: group.name })));
    if (!item || group.itemName === null) return;
    const light = this.#light(group, item, path);
    if (light) this.nodes[pictureId({ path, node: group.itemName })] = light;
    this.#child(frame, slotOf("", { group: group.name, key: item.itemKey ?? "" }), path);
  }

  #child(frame: FrameState, slot: string, path: readonly string[]): void {
    const child = frame.frames.get(slot);
    if (child) this.frame(child, [...path, slot]);
  }

  #light(within: FrameState | GroupState, node: NodeState, path: readonly string[]): NodeLight | null {
    const state = lightOfNode(this.state, within, node);
    if (state === "pending") return null;
    const termination = "termination" in within ? within.termination : null;
    return {
      state,
      ...(termination?.terminatedBy === node.name ? { reason: termination.reason } : {}),
      word: wordOfNode(this.state, within, node),
      retries: node.retries,
      retryAt: node.retry && state === "retrying" ? node.retry.until : null,
      items: node.group?.kind === "for_each" ? this.#items(node.group, path) : null,
    };
  }

  #items(group: GroupState, path: readonly string[]): NonNullable<NodeLight["items"]> {
    const states = membersInOrder(group).map((item) => ({
      key: item.itemKey ?? "",
      state: lightOfNode(this.state, group, item),
    }));
    return { count: group.count, states, chosen: this.#chosenIn(group, path)?.itemKey ?? null };
  }
}

export function lightOfNode(state: RunState, within: FrameState | GroupState, node: NodeState): Light {
  const status = statusOf(state, within, node);
  switch (status) {
    case "not_executed":
      return "pending";
    case "running":
      if (node.retry) return "retrying";
      return onlyWaits(node.type) || isAsking(state, node) || node.hold ? "waiting" : "running";
    case "paused":
      return "waiting";
    case "completed":
      // A group that went on without some of its members is done, and not all well.
      if (node.group && node.group.failed > 0) return "recovered";
      return node.cached ? "reused" : "completed";
    case "failed":
      return node.retry && state.status === "running" && !state.isCutOff ? "retrying" : "failed";
    case "cut_off":
      return "failed";
    default:
      return status;
  }
}

/** What it is called where its light alone does not say it. */
function wordOfNode(state: RunState, within: FrameState | GroupState, node: NodeState): string | null {
  const status = statusOf(state, within, node);
  if (status === "cut_off") return CUT_OFF_WORD;
  if (status === "completed" && node.group && node.group.failed > 0) return completedWithout(node.group.failed);
  if (status === "running" && node.hold) return waitsForCircuit(node.hold.breaker);
  return status === "failed" && node.handedTo !== null ? failedThough(node.handedTo) : null;
}

/** What the graph shows of one step, and the visit that it shows; nothing when the run never came there. */
export function lightAt(
  { state }: Pick<RunMoment, "state">,
  { path, node }: StepAddress,
  item: string | null,
): { readonly state: Light; readonly word: string | null; readonly key: string | null } | null {
  let frame = state.root;
  let isLeftBehind = false;
  for (const slot of path) {
    const caller = frame.nodes.get(callerOfSlot(slot));
    isLeftBehind ||= caller !== undefined && statusOf(state, frame, caller) === "not_executed";
    const inner = frame.frames.get(slot);
    if (!inner) return null;
    frame = inner;
  }
  const found = nodeIn(frame, node, item);
  if (!found) return null;
  const { within, one } = found;
  if (isLeftBehind) return { state: "pending", word: null, key: one.key };
  return { state: lightOfNode(state, within, one), word: wordOfNode(state, within, one), key: one.key };
}

function nodeIn(
  frame: FrameState,
  name: string,
  item: string | null,
): { readonly within: FrameState | GroupState; readonly one: NodeState } | null {
  const own = frame.nodes.get(name);
  if (own) return { within: frame, one: own };
  for (const { group } of frame.nodes.values()) {
    if (!group || (group.kind === "for_each" && group.itemName !== name)) continue;
    const one = group.kind === "parallel" ? group.members.get(name) : drawnItem(group, item ?? undefined);
    if (one) return { within: group, one };
  }
  return null;
}

const isAsking = (state: RunState, { key }: NodeState): boolean => key !== null && state.gates.has(key);

/** The one that was chosen, or the first that failed, or that runs, or the last. */
export function drawnItem(group: GroupState, chosen: string | undefined): NodeState | undefined {
  const known = chosen === undefined ? undefined : group.members.get(chosen);
  if (known) return known;
  const items = membersInOrder(group);
  return (
    items.find(({ status }) => status === "failed") ?? items.find(({ status }) => status === "running") ?? items.at(-1)
  );
}

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
