// Making, finding and changing the parts of a run's state: frames by path, nodes by name, members by group, all by key; and
// what models used, summed for each step, each model and the run.
import type { StepStatus } from "../node-types.ts";
import type { FrameState, GroupState, NodeState, Outline, RunState, Usage } from "./state.ts";

const NO_OUTLINE: Outline = { name: "", file: "", nodes: [] };

export function newFrame(slot: string | null, outline: Outline = NO_OUTLINE, drive = 0): FrameState {
  return {
    name: outline.name,
    file: outline.file,
    slot,
    outline,
    status: "running",
    degraded: false,
    termination: null,
    nodes: new Map(),
    frames: new Map(),
    byKey: new Map(),
    metered: new Set(),
    lastFailed: null,
    drive,
  };
}

export function newNode(name: string, type: string, owner: GroupState | null): NodeState {
  return {
    name,
    type,
    status: "not_executed",
    drive: 0,
    key: null,
    attempts: 0,
    retries: 0,
    startedAt: null,
    elapsedMs: 0,
    cached: false,
    repaired: false,
    exitCode: null,
    changes: null,
    hash: null,
    action: null,
    error: null,
    handedTo: null,
    shell: null,
    retry: null,
    hold: null,
    usage: null,
    frame: null,
    group: null,
    owner,
    itemKey: null,
    index: null,
    way: null,
  };
}

/** The frame that an event happened in. One without a start event is made, so that a fold may begin anywhere. */
export function frameAt(state: RunState, path: readonly string[]): FrameState {
  let frame = state.root;
  for (const slot of path) {
    let inner = frame.frames.get(slot);
    if (!inner) {
      inner = newFrame(slot, NO_OUTLINE, state.drives);
      frame.frames.set(slot, inner);
    }
    frame = inner;
  }
  return frame;
}

export function nodeIn(frame: FrameState, name: string, type = ""): NodeState {
  let node = frame.nodes.get(name);
  if (!node) {
    node = newNode(name, type, null);
    frame.nodes.set(name, node);
  }
  return node;
}

export function groupIn(frame: FrameState, name: string, kind: GroupState["kind"], key = ""): GroupState {
  const node = nodeIn(frame, name, kind);
  node.group ??= newGroup(frame, name, kind, key);
  return node.group;
}

export function newGroup(frame: FrameState, name: string, kind: GroupState["kind"], key: string): GroupState {
  const outline = frame.outline.nodes.find((node) => node.name === name);
  const group: GroupState = {
    name,
    kind,
    key,
    drive: frame.drive,
    rounds: 0,
    itemName: outline?.item?.name ?? null,
    count: outline?.members?.length ?? 0,
    succeeded: 0,
    failed: 0,
    recovered: 0,
    running: 0,
    members: new Map(),
    failures: new Map(),
  };
  for (const member of outline?.members ?? []) group.members.set(member.name, newNode(member.name, member.type, group));
  return group;
}

/** A member of a parallel group by name; undefined for a step that only runs in a member's place. */
export const memberIn = (group: GroupState, name: string): NodeState | undefined => group.members.get(name);

/** An item of a for_each by its key. */
export function itemIn(group: GroupState, itemKey: string): NodeState {
  let item = group.members.get(itemKey);
  if (!item) {
    item = newNode(group.itemName ?? "", "", group);
    item.itemKey = itemKey;
    group.members.set(itemKey, item);
  }
  return item;
}

interface StepPlace {
  readonly agent_name: string;
  readonly agent_type: string;
  readonly group?: string | undefined;
  readonly item_key?: string | undefined;
}

/** The node that an attempt belongs to. A handler in a member's place is a step of its own; the member recovered. */
export function nodeOf(frame: FrameState, place: StepPlace): NodeState {
  if (place.group === undefined) return nodeIn(frame, place.agent_name, place.agent_type);
  if (place.item_key === undefined)
    return (
      memberIn(groupIn(frame, place.group, "parallel"), place.agent_name) ??
      nodeIn(frame, place.agent_name, place.agent_type)
    );
  const group = groupIn(frame, place.group, "for_each");
  if (group.itemName !== null && group.itemName !== place.agent_name)
    return nodeIn(frame, place.agent_name, place.agent_type);
  return itemIn(group, place.item_key);
}

/** The node of a key, or of a name where an event has no key. */
export const nodeAt = (frame: FrameState, key: string | undefined, name: string): NodeState | undefined =>
  (key === undefined ? undefined : frame.byKey.get(key)) ?? frame.nodes.get(name);

/** Brings a node into the present drive under a key; what it had from an earlier drive is history, not state. */
export function touch(frame: FrameState, node: NodeState, key: string | null): void {
  const drive = node.owner ? node.owner.drive : frame.drive;
  if (node.drive !== drive) {
    node.drive = drive;
    node.status = "not_executed";
    node.cached = false;
    node.repaired = false;
    node.retry = null;
    node.hold = null;
  }
  if (key === null || node.key === key) return;
  // In this order: a map that is emptied is made smaller, and larger again by the next key, with every visit of a loop.
  frame.byKey.set(key, node);
  if (node.key !== null) frame.byKey.delete(node.key);
  node.key = key;
}

/** Changes a node's status, and with it the counts of its group. */
export function setStatus(node: NodeState, status: StepStatus): void {
  if (node.owner) {
    tally(node.owner, node.status, -1);
    tally(node.owner, status, 1);
  }
  node.status = status;
}

function tally(group: GroupState, status: StepStatus, by: 1 | -1): void {
  if (status === "completed") group.succeeded += by;
  else if (status === "failed" || status === "recovered" || status === "running") group[status] += by;
}

export const noUsage = (): Usage => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
  unpriced: new Set(),
  estimated: new Set(),
});

interface Tokens {
  readonly model?: string | undefined;
  readonly input_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly cache_read_tokens?: number | undefined;
  readonly cache_write_tokens?: number | undefined;
  readonly reasoning_tokens?: number | undefined;
  readonly cost_usd?: number | null | undefined;
  readonly estimated?: boolean | undefined;
}

function add(usage: Usage, call: Tokens, model: string): void {
  usage.inputTokens += call.input_tokens ?? 0;
  usage.outputTokens += call.output_tokens ?? 0;
  usage.cacheReadTokens += call.cache_read_tokens ?? 0;
  usage.cacheWriteTokens += call.cache_write_tokens ?? 0;
  usage.reasoningTokens += call.reasoning_tokens ?? 0;
  if (typeof call.cost_usd === "number") usage.costUsd += call.cost_usd;
  else usage.unpriced.add(model);
  if (call.estimated) usage.estimated.add(model);
}

/** Counts a call. Without a model and without tokens there was none. */
export function count(state: RunState, node: NodeState | undefined, call: Tokens): void {
  if (call.model === undefined && call.input_tokens === undefined && call.output_tokens === undefined) return;
  const model = call.model ?? "unknown";
  add(state.usage, call, model);
  let ofModel = state.usageByModel.get(model);
  if (!ofModel) {
    ofModel = noUsage();
    state.usageByModel.set(model, ofModel);
  }
  add(ofModel, call, model);
  if (!node) return;
  node.usage ??= noUsage();
  add(node.usage, call, model);
}

/** Counts the summary on the end of a step, unless its calls were counted one by one. */
export function countSummary(
  state: RunState,
  frame: FrameState,
  node: NodeState | undefined,
  name: string,
  call: Tokens,
): void {
  if (call.model !== undefined && !frame.metered.has(name)) count(state, node, call);
}
