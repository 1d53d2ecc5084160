// The fold's share for the ways of items: which routes the errors of one item took, and what ran in its place.
import type { RunEvent } from "../registry.ts";
import { pendingRetry } from "./fold-steps.ts";
import type { FrameState, GroupState, ItemRoute, ItemWay, NodeState, StandIn } from "./state.ts";

/** Keeps what an event says of an item's way; most say nothing. */
export function applyItemWay(frame: FrameState, event: RunEvent): void {
  switch (event.type) {
    case "agent_started": {
      const { agent_name: name, agent_type: type, attempt: attempts } = event.data;
      const item = itemOf(frame, event.data);
      if (!item) return;
      // A new drive that runs the item again begins a new way.
      if (isInline(item, name)) item.node.way = current(item);
      else stoodIn(item, { name, type, status: "running", attempts, cached: false, retry: null });
      return;
    }
    case "agent_reused": {
      const { agent_name: name, agent_type: type, attempt: attempts, kind } = event.data;
      const item = itemOf(frame, event.data);
      if (!item) return;
      // The way of what is reused is not recorded anew.
      if (isInline(item, name)) item.node.way = item.node.way && { ...item.node.way, drive: item.group.drive };
      else
        stoodIn(item, {
          ...{ name, type, attempts, cached: true, retry: null },
          status: kind === undefined ? "completed" : "failed",
        });
      return;
    }
    case "agent_completed":
    case "agent_failed":
    case "agent_cancelled": {
      const { agent_name: name, attempt: attempts } = event.data;
      const item = itemOf(frame, event.data);
      if (item && !isInline(item, name)) changed(item, name, { status: ENDED[event.type], attempts });
      return;
    }
    case "retry_scheduled": {
      const { node } = event.data;
      const item = itemOf(frame, event.data);
      if (item && !isInline(item, node)) changed(item, node, { retry: pendingRetry(event.data) });
      return;
    }
    case "error_routed": {
      const { node: from, to = null, route, action } = event.data;
      const item = itemOf(frame, event.data);
      if (item) routed(item, { from, to, table: route.table, index: route.index, action });
      return;
    }
  }
}

const ENDED = { agent_completed: "completed", agent_failed: "failed", agent_cancelled: "cancelled" } as const;

/** The way of an item on the run's present course, if its errors led anywhere. */
export const wayOf = (group: GroupState, { way }: NodeState): ItemWay | null =>
  way?.drive === group.drive ? way : null;

interface Item {
  readonly group: GroupState;
  readonly node: NodeState;
}

function itemOf(
  frame: FrameState,
  { group: name, item_key }: { readonly group?: string | undefined; readonly item_key?: string | undefined },
): Item | undefined {
  if (name === undefined || item_key === undefined) return undefined;
  const group = frame.nodes.get(name)?.group;
  const node = group?.members.get(item_key);
  return group && node && group.itemName !== null ? { group, node } : undefined;
}

const isInline = ({ group }: Item, name: string): boolean => group.itemName === name;

const current = ({ group, node }: Item): ItemWay | null => wayOf(group, node);

const begun = (item: Item): ItemWay => current(item) ?? { drive: item.group.drive, routes: [], standIns: [] };

function stoodIn(item: Item, standIn: StandIn): void {
  const way = begun(item);
  const others = way.standIns.filter(({ name }) => name !== standIn.name);
  item.node.way = { ...way, standIns: [...others, standIn] };
}

function changed(item: Item, name: string, now: Partial<StandIn>): void {
  const known = begun(item).standIns.find((one) => one.name === name);
  if (known) stoodIn(item, { ...known, ...now });
}

function routed(item: Item, route: ItemRoute): void {
  const way = begun(item);
  const isKnown = way.routes.some(
    (one) => one.from === route.from && one.to === route.to && one.table === route.table && one.index === route.index,
  );
  item.node.way = isKnown ? way : { ...way, routes: [...way.routes, route] };
}
