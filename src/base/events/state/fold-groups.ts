// The fold's share for groups and sub-workflows: members, items, and the frames below a node.
import type { EventData, RunEvent } from "../registry.ts";
import { fail, keepHandlers, memberKey, pendingRetry, terminationOf } from "./fold-steps.ts";
import { groupIn, itemIn, memberIn, newFrame, newGroup, newNode, nodeIn, setStatus, touch } from "./frames.ts";
import type { FrameState, GroupState, ItemRoute, ItemWay, NodeState, RunState, StandIn } from "./state.ts";
import { forgetLost, keepWarnings, warnLost } from "./warnings.ts";

type Kind = GroupState["kind"];

/** A new visit forgets the members of the one before; a retry or a resume of the same visit keeps what it knows of them. */
export function groupStarted(
  state: RunState,
  frame: FrameState,
  path: readonly string[],
  kind: Kind,
  data: { readonly group_name: string; readonly key: string },
  count: number,
  members: readonly string[] = [],
): void {
  const node = nodeIn(frame, data.group_name, kind);
  touch(frame, node, data.key);
  const before = node.group;
  if (before && before.key === data.key) {
    before.failures.clear();
    before.count = count;
    if (before.drive !== frame.drive) {
      before.drive = frame.drive;
      // Rounds that ended before the drive was cut off are not entered again; what happened in them did happen.
      if (before.rounds > 0) {
        keepHandlers(frame, data.key);
        keepWarnings(state, path, node, null);
      }
      Object.assign(before, { succeeded: 0, failed: 0, recovered: 0, running: 0 });
    }
    return;
  }
  for (const member of before?.members.values() ?? []) {
    if (member.key !== null) frame.byKey.delete(member.key);
    if (member.frame?.slot) frame.frames.delete(member.frame.slot);
  }
  node.group = newGroup(frame, data.group_name, kind, data.key);
  node.group.count = count;
  for (const name of members)
    if (!node.group.members.has(name)) node.group.members.set(name, newNode(name, "", node.group));
}

interface MemberPlace {
  readonly group_name: string;
  readonly agent_name?: string;
  readonly item_key?: string;
  readonly index?: number;
}

function memberOf(frame: FrameState, data: MemberPlace): NodeState | undefined {
  const member =
    data.item_key === undefined
      ? memberIn(groupIn(frame, data.group_name, "parallel"), data.agent_name ?? "")
      : itemIn(groupIn(frame, data.group_name, "for_each"), data.item_key);
  if (member && data.index !== undefined) member.index = data.index;
  if (member) touch(frame, member, member.key);
  return member;
}

export function memberStarted(frame: FrameState, data: MemberPlace): void {
  const member = memberOf(frame, data);
  if (!member) return;
  setStatus(member, "running");
}

export function memberCompleted(
  frame: FrameState,
  data: MemberPlace & { readonly recovered?: boolean | undefined },
): void {
  const member = memberOf(frame, data);
  if (!member) return;
  setStatus(member, data.recovered ? "recovered" : "completed");
  member.owner?.failures.delete(memberKey(member));
}

export function memberFailed(
  frame: FrameState,
  data: MemberPlace & { readonly error: NonNullable<NodeState["error"]>; readonly reused?: boolean | undefined },
): void {
  const member = memberOf(frame, data);
  if (!member) return;
  setStatus(member, "failed");
  member.error = data.error;
  fail(member, {
    node: member.name || (data.agent_name ?? data.group_name),
    itemKey: member.itemKey,
    error: data.error,
    isReused: data.reused,
  });
}

/** A group that went on without some of its members: each of them is a warning. */
export function groupCompleted(
  state: RunState,
  frame: FrameState,
  path: readonly string[],
  data: { readonly group_name: string; readonly failed: boolean },
): void {
  const group = frame.nodes.get(data.group_name)?.group;
  if (!group) return;
  // After the run's end: items that it had lost have run again, and some of them may be there now.
  const isRetried = state.status !== "running";
  if (isRetried) forgetLost(state, path, group);
  if (isRetried || !data.failed) warnLost(state, path, group);
}

/** The group's own account of what its members raised, in order of time. */
export function groupFailed(frame: FrameState, data: EventData<"group_failed">): void {
  const group = frame.nodes.get(data.group_name)?.group;
  if (!group) return;
  group.failures.clear();
  for (const { node, item_key, error } of data.errors)
    group.failures.set(item_key ?? node, { node, itemKey: item_key ?? null, error });
}

/** A retry of the step is a fresh child; a later drive goes on with the one that is there. */
export function subworkflowStarted(state: RunState, frame: FrameState, data: EventData<"subworkflow_started">): void {
  const node = frame.byKey.get(data.key) ?? nodeIn(frame, data.agent_name, "workflow");
  const before = frame.frames.get(data.slot);
  const goesOn = before !== undefined && before.drive !== state.drives;
  const inner = goesOn ? before : newFrame(data.slot, data.outline, state.drives);
  if (node.frame?.slot && node.frame.slot !== data.slot) frame.frames.delete(node.frame.slot);
  inner.drive = state.drives;
  inner.outline = data.outline;
  inner.name = data.workflow;
  inner.file = data.file;
  inner.status = "running";
  inner.lastFailed = null;
  inner.termination = null;
  frame.frames.set(data.slot, inner);
  node.frame = inner;
}

export function subworkflowEnded(
  frame: FrameState,
  status: "completed" | "failed",
  data: EventData<"subworkflow_completed"> | EventData<"subworkflow_failed">,
): void {
  const inner = frame.frames.get(data.slot);
  if (!inner) return;
  inner.status = status;
  inner.degraded = "degraded" in data && data.degraded;
  inner.termination = terminationOf(data);
}

// The fold's share for the ways of items: which routes the errors of one item took, and what ran in its place.

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
          name,
          type,
          attempts,
          cached: true,
          retry: null,
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
