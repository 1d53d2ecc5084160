// `checkpoint`: what is done and need not be done again, by path: `fetch`, `plan/draft` inside a sub-workflow, `each[blue]`
// of a for_each, `each[blue]/draft` inside an item.
import {
  type FrameState,
  type GroupState,
  membersInOrder,
  type NodeState,
  nodesInOrder,
  type RunState,
  statusOf,
} from "../events/index.ts";
import { slotOf } from "../events/key.ts";
import type { Redactor } from "../redact/index.ts";
import type { Checkpoint, Entry } from "./result.ts";

export function checkpointOf(
  state: RunState,
  errors: readonly Entry[],
  going: Pick<Checkpoint, "resumable" | "resume">,
  { redactor, withoutSteps }: { readonly redactor: Redactor; readonly withoutSteps: boolean },
): Checkpoint {
  const reached = withoutSteps ? [] : [...nodesOf(state, state.root, "")];
  // An item's key comes from data.
  const nodes = reached.map((one) => ({ ...one, name: redactor.text(one.name) }));
  const done = nodes.filter(({ isDone }) => isDone);
  const acted = nodes.filter(
    ({ isDone, node, status }) => node.action !== null && (isDone || (status === "failed" && node.action !== "error")),
  );
  return {
    completed_nodes: done.map(({ name }) => name),
    node_actions: Object.fromEntries(acted.flatMap(({ name, node }) => (node.action ? [[name, node.action]] : []))),
    node_hashes: Object.fromEntries(done.flatMap(({ name, node }) => (node.hash ? [[name, node.hash]] : []))),
    failed_node: state.failure?.node ?? errors[0]?.node_id ?? null,
    ...going,
  };
}

interface Reached {
  readonly name: string;
  readonly node: NodeState;
  readonly status: ReturnType<typeof statusOf>;
  readonly isDone: boolean;
}

function* nodesOf(state: RunState, frame: FrameState, prefix: string): Iterable<Reached> {
  for (const { outline, node } of nodesInOrder(frame))
    if (node) yield* withInside(state, frame, node, `${prefix}${outline.name}`, prefix);
}

function* withInside(
  state: RunState,
  within: FrameState | GroupState,
  node: NodeState,
  name: string,
  prefix: string,
): Iterable<Reached> {
  const status = statusOf(state, within, node);
  yield { name, node, status, isDone: status === "completed" || status === "recovered" };
  if (status === "not_executed") return;
  if (node.frame) yield* nodesOf(state, node.frame, `${name}/`);
  for (const member of node.group ? membersInOrder(node.group) : []) {
    const item = member.itemKey === null ? undefined : { group: node.name, key: member.itemKey };
    yield* withInside(state, node.group!, member, `${prefix}${slotOf(member.name, item)}`, prefix);
  }
}
