// The fold's share for groups and sub-workflows: members, items, and the frames below a node.
import type { EventData } from "../registry.ts";
import { fail, keepHandlers, memberKey, terminationOf } from "./fold-steps.ts";
import { groupIn, itemIn, memberIn, newFrame, newGroup, newNode, nodeIn, setStatus, touch } from "./frames.ts";
import type { FrameState, GroupState, NodeState, RunState } from "./state.ts";
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
  if (data.item_key === undefined) return memberIn(groupIn(frame, data.group_name, "parallel"), data.agent_name ?? "");
  const item = itemIn(groupIn(frame, data.group_name, "for_each"), data.item_key);
  if (data.index !== undefined) item.index = data.index;
  return item;
}

export function memberStarted(frame: FrameState, data: MemberPlace): void {
  const member = memberOf(frame, data);
  if (!member) return;
  touch(frame, member, member.key);
  setStatus(member, "running");
}

export function memberCompleted(
  frame: FrameState,
  data: MemberPlace & { readonly recovered?: boolean | undefined },
): void {
  const member = memberOf(frame, data);
  if (!member) return;
  touch(frame, member, member.key);
  setStatus(member, data.recovered ? "recovered" : "completed");
  member.owner?.failures.delete(memberKey(member));
}

export function memberFailed(
  frame: FrameState,
  data: MemberPlace & { readonly error: NonNullable<NodeState["error"]> },
): void {
  const member = memberOf(frame, data);
  if (!member) return;
  touch(frame, member, member.key);
  setStatus(member, "failed");
  member.error = data.error;
  fail(member, {
    node: member.name || (data.agent_name ?? data.group_name),
    itemKey: member.itemKey,
    error: data.error,
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
