// From a run's state to the result: one function for every way a run can stand.
import { distinctAskerNames } from "../events/asker-name.ts";
import {
  activeMs,
  currentWarnings,
  cutOff,
  type FrameState,
  type GroupState,
  membersInOrder,
  type NodeState,
  nodesInOrder,
  type PendingGate,
  type RunState,
  statusOf,
} from "../events/index.ts";
import { slotOf } from "../events/key.ts";
import { lostMembers } from "../events/state/warnings.ts";
import type { Redactor } from "../redact/index.ts";
import type { ResultContext } from "./context.ts";
import { COMMAND_LINE, type Reader } from "./reader.ts";
import {
  type Checkpoint,
  type Entry,
  type ExitCode,
  RESULT_SCHEMA,
  type Result,
  type ResultGate,
  type ResultStatus,
} from "./result.ts";
import { metricsOf, shownStep, stepReports } from "./steps.ts";
import { errorsOf, type ResultParts, warningsOf } from "./troubles.ts";

/** The same object for `run`, `resume`, `status`, MCP and HTTP. */
export function resultOf(state: RunState, context: ResultContext): Result {
  const crashed = context.interrupted === true && state.status === "running";
  const status: ResultStatus = crashed ? "failed" : state.status;
  // Of one that had not begun there is nothing to go on with.
  const resumable = crashed ? state.drives > 0 : isResumable(state);
  const reader = context.reader ?? COMMAND_LINE;
  const resume = resumable ? reader.ask({ to: "resume", run: state.runId }) : null;
  // A step that a crash cut off does not run any more.
  const seen = crashed ? cutOff(state) : state;
  const parts: ResultParts = { state, context, reader, resumable };
  const errors = errorsOf(parts);
  const { redactor } = context;
  const { withoutSteps = false } = context;
  const steps = withoutSteps
    ? []
    : stepReports({ state: seen, now: context.now }, seen.root).map((step) => shownStep(step, redactor));
  const duration = durationOf(state, context);
  const executed = steps.filter(({ status: step }) => step === "completed" || step === "recovered").length;
  const names = distinctAskerNames([...state.gates.keys()]);
  const gates = [...state.gates.values()].map((gate) => gateOf(gate, names.get(gate.key) ?? gate.key, state, reader));
  const shownGates =
    state.status === "paused" || state.status === "running" ? (redactor.value(gates) as ResultGate[]) : [];
  return {
    schema: RESULT_SCHEMA,
    success:
      status === "completed" ||
      status === "degraded" ||
      (status === "terminated" && state.termination?.status === "success"),
    status,
    ...(status === "terminated" && hasLost(state) ? { degraded: true as const } : {}),
    exit_code: crashed ? 1 : exitCodeOf(state),
    run_id: state.runId,
    workflow: redactor.text(state.root.name) || null,
    file: context.file ?? (state.root.file || null),
    output: redactor.value(state.output ?? null, { keys: "author" }),
    error: headline(errors, state),
    errors,
    checkpoint: checkpointOf(seen, errors, { resumable, resume }, { redactor, withoutSteps }),
    execution: { duration_ms: duration, nodes_executed: executed, nodes_total: steps.length, steps },
    metrics: metricsOf(state, duration, executed),
    termination: terminationOf(state, context),
    gate: shownGates[0] ?? null,
    ...(shownGates.length > 1 ? { gates: shownGates } : {}),
    warnings: warningsOf(parts),
    artifacts: context.artifacts,
  };
}

/** Groups of it went on without some of their members. */
const hasLost = (state: RunState): boolean => currentWarnings(state).some((warning) => lostMembers(warning) > 0);

function isResumable(state: RunState): boolean {
  if (state.status === "paused" || state.status === "cancelled") return true;
  return state.status === "failed" && (state.failure?.resumable ?? true);
}

/** The exit code that a run's state means; null while it is going on. */
export function exitCodeOf(state: RunState): ExitCode | null {
  switch (state.status) {
    case "running":
      return null;
    case "completed":
    case "degraded":
      return 0;
    case "terminated":
      return state.termination?.status === "success" ? 0 : 1;
    case "failed":
      return state.failure?.errorType === "UnhandledWorkflowError" ? 3 : 1;
    case "paused":
      return 4;
    case "cancelled":
      return 130;
  }
}

function durationOf(state: RunState, context: ResultContext): number | null {
  const active = activeMs(state, state.status === "running" && !context.interrupted ? context.now : undefined);
  return active === null ? null : Math.round(active);
}

/** `error`: the first trouble in one line, and how many more there are. */
function headline(errors: readonly Entry[], state: RunState): string | null {
  const [first] = errors;
  if (!first) {
    return state.status === "paused" ? whatWaits([...state.gates.keys()]) : null;
  }
  const line = first.node_id === null ? first.message : `${first.node_id}: ${first.message}`;
  return errors.length > 1 ? `${line} (and ${errors.length - 1} more)` : line;
}

function whatWaits(keys: readonly string[]): string {
  const [first = "a gate", ...more] = distinctAskerNames(keys).values();
  const others = more.length === 0 ? "waits" : `and ${more.length} more wait`;
  return `${first} ${others} for an answer`;
}

function terminationOf({ termination }: RunState, { redactor }: ResultContext): Result["termination"] {
  if (!termination) return null;
  return {
    status: termination.status,
    reason: redactor.text(termination.reason),
    terminated_by: termination.terminatedBy,
  };
}

function gateOf(
  { node, key, path, kind, prompt, options, questions, approvers, not_by }: PendingGate,
  name: string,
  { runId, gates }: RunState,
  reader: Reader,
): ResultGate {
  const answer = reader.ask({ to: "answer", run: runId, ...(gates.size > 1 ? { gate: name } : {}) });
  return {
    node_id: node,
    name,
    key,
    path,
    kind,
    prompt,
    options,
    ...(approvers ? { approvers } : {}),
    ...(not_by ? { not_by } : {}),
    ...(kind === "questions" ? { questions } : answer === null ? {} : { answer }),
  };
}

/** What is done and need not be done again, by path: `fetch`, `plan/draft`, `each[blue]`, `each[blue]/draft`. */
function checkpointOf(
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
