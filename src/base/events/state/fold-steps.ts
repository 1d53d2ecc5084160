// The fold's share for steps: attempts as they begin and end, errors as they are raised and routed.
import { isContainer, type NodeAction, type StepStatus } from "../node-types.ts";
import type { EventData } from "../registry.ts";
import { listedChanges } from "../step-files.ts";
import { shellLine } from "../typeable.ts";
import { count, countSummary, nodeAt, nodeOf, setStatus, touch } from "./frames.ts";
import type { FrameState, MemberFailure, NodeState, PendingRetry, RunState, Shell, Termination } from "./state.ts";
import { changedFilesText, forgetFailures, keepWarnings, recoveredError, warn, warnRecovered } from "./warnings.ts";

const TAIL = 4_000;

export function started(
  state: RunState,
  frame: FrameState,
  path: readonly string[],
  data: EventData<"agent_started">,
  ts: string,
): void {
  const node = nodeOf(frame, data);
  // A further drive that runs it again does not try again what failed.
  if (node.key !== data.key || node.drive !== (node.owner ?? frame).drive) node.retries = 0;
  // What came after it in an earlier drive may be another now. Containers are entered also for what is inside.
  if (!isContainer(data.agent_type)) state.startedAnew = state.drives;
  touch(frame, node, data.key);
  node.name = data.agent_name;
  node.type = data.agent_type;
  forgetFailures(state, path, node);
  setStatus(node, "running");
  node.attempts = data.attempt;
  node.startedAt = ts;
  node.cached = false;
  node.retry = null;
  node.hold = null;
  node.handedTo = null;
  if (!isContainer(data.agent_type)) state.executions++;
}

function ended(
  frame: FrameState,
  data: EventData<"agent_completed" | "agent_failed" | "agent_cancelled">,
  status: StepStatus,
): NodeState {
  const node = nodeOf(frame, data);
  touch(frame, node, data.key);
  node.attempts = data.attempt;
  node.elapsedMs += data.elapsed * 1000;
  node.hold = null;
  setStatus(node, status);
  return node;
}

/** What is the same of one that ended well and one that failed. */
function settled(
  state: RunState,
  frame: FrameState,
  node: NodeState,
  data: EventData<"agent_completed" | "agent_failed">,
  action: NodeAction,
): void {
  if (data.hash !== undefined) node.hash = data.hash;
  node.repaired ||= data.repaired === true;
  node.changes = listedChanges(data) ?? null;
  node.action = data.is_explicit ? "terminate" : action;
  // A terminate step was to end the workflow, and did.
  if (data.is_explicit) handled(frame, data.agent_name);
  countSummary(state, frame, node, data.agent_name, data);
}

export function completed(state: RunState, frame: FrameState, data: EventData<"agent_completed">): void {
  const node = ended(frame, data, "completed");
  node.error = null;
  node.shell = node.type === "script" && !node.owner ? stderrOf(node.shell, data.output) : null;
  node.exitCode = data.exit_code ?? null;
  node.owner?.failures.delete(memberKey(node));
  settled(state, frame, node, data, "default");
}

export function noteFailed(state: RunState, frame: FrameState, data: EventData<"agent_failed">): void {
  const node = ended(frame, data, "failed");
  node.shell = shellOf(node.shell?.command ?? null, data.output);
  settled(state, frame, node, data, "error");
}

export const cancelled = (frame: FrameState, data: EventData<"agent_cancelled">): void =>
  void ended(frame, data, "cancelled");

/** A failure is reused only when a route had taken care of it; the rest of a member is in its group's events. */
export function reused(
  state: RunState,
  frame: FrameState,
  path: readonly string[],
  data: EventData<"agent_reused">,
): void {
  const node = nodeOf(frame, data);
  touch(frame, node, data.key);
  node.name = data.agent_name;
  node.type = data.agent_type;
  node.cached = true;
  node.hash = data.hash;
  if (node.attempts === 0) node.attempts = data.attempt;
  // One entry for all items of a step that name the same files.
  const { agent_name, changed_files = [] } = data;
  if (changed_files.length > 0)
    warn(state, {
      kind: "changed_files",
      node: agent_name,
      path,
      message: changedFilesText(agent_name, changed_files),
    });
  if (data.kind === undefined) {
    node.handedTo = null;
    setStatus(node, "completed");
    node.error = null;
    node.action = "default";
    return;
  }
  setStatus(node, node.owner ? "failed" : "recovered");
  node.action = "error";
  // In a loop an earlier visit of the node, which went well, was reused before this one.
  node.error ??= recoveredError(state, path, node, node.owner?.name ?? null);
  if (data.to !== undefined) handTo(frame, node, data.to);
  if (node.group) keepHandlers(frame, data.key);
  if (node.owner && node.error) fail(node, { node: node.name, itemKey: node.itemKey, error: node.error });
  keepWarnings(state, path, node, data.group ?? null);
}

/** A group that is not entered again keeps what ran in its members' places: those are steps of the frame. */
export function keepHandlers(frame: FrameState, group: string): void {
  for (const node of frame.nodes.values())
    if (node.key?.startsWith(group) && /^[.[~]/.test(node.key.slice(group.length))) node.drive = frame.drive;
}

export function errorRaised(frame: FrameState, data: EventData<"error_raised">): void {
  const node = nodeAt(frame, data.key, data.node);
  frame.lastFailed = data.node;
  if (!node) return;
  touch(frame, node, node.key);
  node.error = data.error;
  node.action = "error";
  setStatus(node, "failed");
}

export function errorRouted(
  state: RunState,
  frame: FrameState,
  path: readonly string[],
  data: EventData<"error_routed">,
): void {
  const node = nodeAt(frame, data.key, data.node);
  if (!node) return;
  if (data.action === "halt") node.action = "halt";
  if (data.action === "retry") node.action = "retry";
  if (data.action === "to" || (data.action === "retry" && data.to !== undefined))
    recovered(state, path, node, data.to ?? null);
  if (data.to !== undefined) handTo(frame, node, data.to);
}

/** What was handed to a step that raises too is handed on with its error. */
function handTo(frame: FrameState, node: NodeState, to: string): void {
  if (!node.owner) for (const one of handedTo(frame, node.name)) one.handedTo = to;
  node.handedTo = to;
}

const handedTo = (frame: FrameState, name: string): readonly NodeState[] =>
  [...frame.nodes.values()].filter((node) => node.handedTo === name);

/** That step got to its end. */
function handled(frame: FrameState, by: string): void {
  for (const node of handedTo(frame, by)) node.handedTo = null;
}

export function errorRecovered(
  state: RunState,
  frame: FrameState,
  path: readonly string[],
  data: EventData<"error_recovered">,
): void {
  const node = nodeAt(frame, data.key, data.node);
  if (!node?.owner) handled(frame, data.by);
  if (!node) return;
  node.handedTo = null;
  // The route that led away from it has recorded it already, and the node may have run again since.
  if (node.status === "failed") recovered(state, path, node, data.by, node.cached);
}

function recovered(
  state: RunState,
  path: readonly string[],
  node: NodeState,
  by: string | null,
  isReused = false,
): void {
  setStatus(node, "recovered");
  node.action = "error";
  node.owner?.failures.delete(memberKey(node));
  const group = node.owner?.name ?? null;
  // What a group raised is what its members raised: they are named, it is not.
  if (node.group && node.group.failures.size > 0) {
    for (const failure of node.group.failures.values()) {
      const member = node.group.members.get(failure.itemKey ?? failure.node);
      warnRecovered(
        state,
        path,
        { ...(member ?? node), name: failure.node, error: failure.error, itemKey: failure.itemKey },
        by,
        node.name,
      );
    }
    return;
  }
  warnRecovered(state, path, node, by, group, isReused);
}

export const memberKey = (node: NodeState): string => node.itemKey ?? node.name;

export function fail(node: NodeState, failure: MemberFailure): void {
  const failures = node.owner?.failures;
  // Taken out first: the order is that of time.
  failures?.delete(memberKey(node));
  failures?.set(memberKey(node), failure);
}

export const pendingRetry = (data: EventData<"retry_scheduled">): PendingRetry => {
  const { until, attempt, nth = attempt, max = null, until_reset = false, kind, via = null } = data;
  return { until, attempt, nth, max, isReset: until_reset, kind, via };
};

export function retryScheduled(frame: FrameState, data: EventData<"retry_scheduled">): void {
  const node = nodeAt(frame, data.key, data.node);
  if (!node) return;
  node.retry = pendingRetry(data);
  if (data.via === undefined) node.retries += 1;
  if (node.group && data.via === undefined) node.group.rounds += 1;
  node.action = "retry";
}

export function scriptStarted(frame: FrameState, data: EventData<"script_started">): void {
  const node = nodeAt(frame, data.key, data.agent_name);
  if (node)
    node.shell = { command: shellLine([data.command, ...data.args]), exitCode: null, stdout: null, stderr: null };
}

/** Of a script that ended well: its stderr, shown when a later step reads a field that it did not give. */
function stderrOf(shell: Shell | null, output: unknown): Shell | null {
  const said = shellOf(shell?.command ?? null, output);
  return said?.stderr ? { ...said, stdout: null, stderr: said.stderr.slice(-1_000) } : null;
}

/** Of a script that failed: the tails of what it wrote, which are in its partial output. */
function shellOf(command: string | null, output: unknown): Shell | null {
  const said = typeof output === "object" && output !== null ? (output as Record<string, unknown>) : {};
  const tail = (value: unknown): string | null => (typeof value === "string" ? value.slice(-TAIL) : null);
  const exitCode = typeof said.exit_code === "number" ? said.exit_code : null;
  if (command === null && exitCode === null) return null;
  return { command, exitCode, stdout: tail(said.stdout), stderr: tail(said.stderr) };
}

export function used(state: RunState, frame: FrameState, data: EventData<"agent_usage">): void {
  frame.metered.add(data.agent_name);
  count(state, nodeAt(frame, data.key, data.agent_name), data);
}

export const terminationOf = ({
  is_explicit,
  status = "success",
  termination_reason: reason = "",
  terminated_by: terminatedBy = "",
}: TerminationFields): Termination | null => (is_explicit ? { status, reason, terminatedBy } : null);

type TerminationFields = Pick<
  EventData<"workflow_completed">,
  "is_explicit" | "status" | "termination_reason" | "terminated_by"
>;
