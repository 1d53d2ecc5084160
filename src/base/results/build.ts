// From a run's state to the result: one function for every way a run can stand.
import { enumerated } from "../errors/nearest.ts";
import { distinctAskerNames } from "../events/asker-name.ts";
import { slotOf } from "../events/key.ts";
import { activeMs, cutOff, membersInOrder, nodesInOrder, statusOf, tookMs } from "../events/state/read.ts";
import type { FrameState, GroupState, NodeState, OutlineNode, RunState, Usage } from "../events/state/state.ts";
import { authored, byName } from "../redact/index.ts";
import type { ResultContext } from "./entry.ts";
import { resultGate } from "./gate.ts";
import { COMMAND_LINE } from "./reader.ts";
import {
  type Checkpoint,
  type Entry,
  type ExitCode,
  type Metrics,
  RESULT_SCHEMA,
  type Result,
  type ResultStatus,
  type StepReport,
  type Tokens,
} from "./result.ts";
import { errorsOf, hasLost, type ResultParts, warningsOf } from "./troubles.ts";

/** The same object for `run`, `resume`, `status`, MCP and HTTP. It is kept and sent on, so the run's secrets are hidden at once. */
export const resultOf = (state: RunState, context: ResultContext): Result =>
  context.redactor.answer(wholeResult(state, context));

function wholeResult(state: RunState, context: ResultContext): Result {
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
  const { withoutSteps = false } = context;
  const steps = withoutSteps ? [] : stepReports({ state: seen, now: context.now }, seen.root);
  const duration = durationOf(state, context);
  const executed = steps.filter(({ status: step }) => step === "completed" || step === "recovered").length;
  const names = distinctAskerNames([...state.gates.keys()]);
  const { answered = new Set<string>(), now } = context.gatesNow ?? {};
  const asking = { runId: state.runId, isOneOfSeveral: state.gates.size > 1, answered, now };
  const isAsking = state.status === "paused" || state.status === "running";
  const gates = [...(isAsking ? state.gates.values() : [])].map((gate) =>
    resultGate(gate, names.get(gate.key) ?? gate.key, asking, reader),
  );
  const exitCode = crashed ? 1 : exitCodeOf(state);
  return {
    schema: RESULT_SCHEMA,
    success: exitCode === 0,
    status,
    ...(status === "terminated" && hasLost(state) ? { degraded: true as const } : {}),
    exit_code: exitCode,
    run_id: state.runId,
    ...(state.runName === null ? {} : { name: state.runName }),
    workflow: state.root.name || null,
    file: context.file ?? (state.root.file || null),
    output: authored(state.output ?? null),
    error: headline(errors, state, answered),
    errors,
    checkpoint: checkpointOf(seen, errors, { resumable, resume }, withoutSteps),
    execution: { duration_ms: duration, nodes_executed: executed, nodes_total: steps.length, steps },
    metrics: metricsOf(state, duration, executed),
    termination: terminationOf(state),
    gate: gates[0] ?? null,
    ...(gates.length > 1 ? { gates: gates } : {}),
    warnings: warningsOf(parts),
    artifacts: context.artifacts,
  };
}

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
      return leavesError(state) ? 3 : 1;
    case "paused":
      return 4;
    case "cancelled":
      return 130;
  }
}

/** Whether a typed error ended the run that a resume may still get over: unhandled, or halted at. */
const leavesError = ({ failure }: RunState): boolean =>
  failure?.errorType === "UnhandledWorkflowError" || (failure?.errorType === "HaltedWorkflow" && failure.resumable);

function durationOf(state: RunState, context: ResultContext): number | null {
  const active = activeMs(state, state.status === "running" && !context.interrupted ? context.now : undefined);
  return active === null ? null : Math.round(active);
}

/** `error`: the first trouble in one line, and how many more there are. */
function headline(errors: readonly Entry[], state: RunState, answered: ReadonlySet<string>): string | null {
  const [first] = errors;
  if (!first) return state.status === "paused" ? whatWaits([...state.gates.keys()], answered) : null;
  const line = first.node_id === null ? first.message : `${first.node_id}: ${first.message}`;
  return errors.length > 1 ? `${line} (and ${errors.length - 1} more)` : line;
}

function whatWaits(keys: readonly string[], answered: ReadonlySet<string>): string {
  const waiting = keys.filter((key) => !answered.has(key));
  if (waiting.length === 0 && keys.length > 0)
    return `${enumerated([...distinctAskerNames(keys).values()])} ${keys.length === 1 ? "is" : "are"} answered, and the run has not gone on yet`;
  const [first = "a gate", ...more] = distinctAskerNames(waiting).values();
  const others = more.length === 0 ? "waits" : `and ${more.length} more wait`;
  return `${first} ${others} for an answer`;
}

function terminationOf({ termination }: RunState): Result["termination"] {
  if (!termination) return null;
  const { status, reason, terminatedBy } = termination;
  return { status, reason, terminated_by: terminatedBy };
}

/** What is done and need not be done again, by path: `fetch`, `plan/draft`, `each[blue]`, `each[blue]/draft`. */
function checkpointOf(
  state: RunState,
  errors: readonly Entry[],
  going: Pick<Checkpoint, "resumable" | "resume">,
  withoutSteps: boolean,
): Checkpoint {
  const nodes = withoutSteps ? [] : [...nodesOf(state, state.root, "")];
  const done = nodes.filter(({ isDone }) => isDone);
  const acted = nodes.filter(
    ({ isDone, node, status }) => node.action !== null && (isDone || (status === "failed" && node.action !== "error")),
  );
  return {
    completed_nodes: done.map(({ name }) => name),
    node_actions: byName(
      Object.fromEntries(acted.flatMap(({ name, node }) => (node.action ? [[name, node.action]] : []))),
    ),
    node_hashes: byName(Object.fromEntries(done.flatMap(({ name, node }) => (node.hash ? [[name, node.hash]] : [])))),
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

/** A run, and until when what still runs in it counts: nothing where no process drives it. */
interface SeenRun {
  readonly state: RunState;
  readonly now: number | undefined;
}

const stepReports = (run: SeenRun, frame: FrameState): StepReport[] =>
  nodesInOrder(frame).map(({ outline, node }) => reportOf(run, frame, node, outline));

function reportOf(
  run: SeenRun,
  within: FrameState | GroupState,
  node: NodeState | undefined,
  outline: OutlineNode | undefined,
): StepReport {
  const { state, now } = run;
  const status = statusOf(state, within, node);
  const name = outline?.name ?? node?.name ?? "";
  const type = node?.type || outline?.type;
  const ended = status === "cut_off" ? ({ status: "cancelled", cut_off: true } as const) : { status };
  const head = { node_id: name, ...(type ? { type } : {}), ...ended };
  const item = node && node.itemKey !== null ? { item_key: node.itemKey } : {};
  if (!node || status === "not_executed") {
    const members = (outline?.members ?? []).map((member) => reportOf(run, within, undefined, member));
    const rest = { duration_ms: null, cached: false, repaired: false, attempts: 0 };
    return { ...head, ...rest, ...item, ...(members.length > 0 ? { steps: members } : {}) };
  }
  const showsKind = node.error !== null && (status === "failed" || status === "recovered");
  const children = childrenOf(run, node);
  return {
    ...head,
    duration_ms: Math.round(tookMs(state, node, status, now)),
    cached: node.cached || node.drive !== within.drive,
    repaired: node.repaired,
    attempts: node.attempts,
    ...(showsKind ? { kind: node.error?.kind } : {}),
    ...(status === "completed" && node.exitCode ? { exit_code: node.exitCode } : {}),
    ...(node.changes && (node.changes.files.length > 0 || node.changes.denied) ? { changes: node.changes } : {}),
    ...item,
    ...(node.usage ? { tokens: tokensOf(node.usage), cost_usd: costOf(node.usage) } : {}),
    ...(children ? { steps: children } : {}),
  };
}

function childrenOf(run: SeenRun, node: NodeState): StepReport[] | undefined {
  const { group, frame } = node;
  if (group) return membersInOrder(group).map((member) => reportOf(run, group, member, undefined));
  return frame ? stepReports(run, frame) : undefined;
}

function tokensOf(usage: Usage): Tokens {
  const cached = usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    ...(cached > 0 ? { cached } : {}),
    ...(usage.reasoningTokens > 0 ? { reasoning: usage.reasoningTokens } : {}),
  };
}

/** Without the noise at the end of sums of floats. */
const dollars = (amount: number): number => Math.round(amount * 1e9) / 1e9;

/** What cannot be priced is null, with the models named: 0 would be a lie. */
const costOf = (usage: Usage): number | null => (usage.unpriced.size > 0 ? null : dollars(usage.costUsd));

function metricsOf(state: RunState, durationMs: number | null, nodesExecuted: number): Metrics {
  const byModel = [...state.usageByModel].map(
    ([model, usage]) => [model, { tokens: tokensOf(usage), cost_usd: costOf(usage) }] as const,
  );
  return {
    duration_ms: durationMs,
    nodes_executed: nodesExecuted,
    total_cost_usd: costOf(state.usage),
    tokens: tokensOf(state.usage),
    by_model: byName(Object.fromEntries(byModel)),
    unpriced_models: [...state.usage.unpriced],
    ...(state.usage.estimated.size > 0 ? { estimated_models: [...state.usage.estimated] } : {}),
  };
}
