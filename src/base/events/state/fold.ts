// From events to a run's state: one function, used by resume, results, the terminal and the dashboard. It changes the
// state in place, since a copy per event would cost more than the event; a caller that needs a past state folds again.
import type { EventData, EventType, RunEvent } from "../registry.ts";
import { isBetweenDrives, statusAfter } from "../run-end.ts";
import { secretNamesIn } from "../secrets-in-events.ts";
import { changersIn } from "../visits/verdicts.ts";
import {
  applyItemWay,
  groupCompleted,
  groupFailed,
  groupStarted,
  memberCompleted,
  memberFailed,
  memberStarted,
  subworkflowEnded,
  subworkflowStarted,
} from "./fold-groups.ts";
import { goOnFromKeyframe } from "./fold-keyframe.ts";
import {
  cancelled,
  completed,
  errorRaised,
  errorRecovered,
  errorRouted,
  noteFailed,
  retryScheduled,
  reused,
  scriptStarted,
  started,
  terminationOf,
  used,
} from "./fold-steps.ts";
import { count, frameAt, newFrame, nodeAt, noUsage, setStatus } from "./frames.ts";
import { driveMs } from "./read.ts";
import type { FrameState, PendingGate, RunState } from "./state.ts";
import { addStepFigures } from "./step-figures.ts";
import { warnOf } from "./warnings.ts";

export function initialState(runId: string): RunState {
  return {
    runId,
    status: "running",
    seq: 0,
    startedAt: null,
    lastAt: null,
    drives: 0,
    driveStartedAt: null,
    startedAnew: 0,
    activeBeforeMs: 0,
    leftForMs: 0,
    inputs: {},
    hiddenInputs: [],
    definitionHash: "",
    runName: null,
    evalId: null,
    isRehearsal: false,
    provider: null,
    root: newFrame(null),
    executions: 0,
    output: null,
    termination: null,
    failure: null,
    cancelled: null,
    startedBy: null,
    firedBy: null,
    changedBy: [],
    semantics: {},
    gates: new Map(),
    warnings: new Map(),
    usage: noUsage(),
    usageByModel: new Map(),
    stepFigures: new Map(),
    breakers: new Map(),
    reusedBehind: null,
    letters: new Map(),
  };
}

/** Applies one event, and gives the same state back. */
export function apply(state: RunState, event: RunEvent): RunState {
  if (event.type === "run_resumed") {
    state.activeBeforeMs += driveMs(state);
    const isLeft = state.status === "running" && state.lastAt !== null;
    state.leftForMs = isLeft ? Math.max(0, Date.parse(event.ts) - Date.parse(state.lastAt ?? "")) : 0;
  }
  state.seq = event.seq;
  state.startedAt ??= event.ts;
  if (!isBetweenDrives(event, state.status !== "running")) state.lastAt = event.ts;
  const { path } = event;
  const frame = path.length === 0 ? state.root : frameAt(state, path);
  // A journal may have been edited: an event of the type `constructor` is none that is known.
  const fold = Object.hasOwn(FOLDS, event.type) ? (FOLDS[event.type] as Fold<EventType>) : undefined;
  if (fold) fold(state, event, frame);
  else warnOf(state, event);
  applyItemWay(frame, event);
  addStepFigures(state, event, frame);
  return state;
}

type Fold<Type extends EventType> = (
  state: RunState,
  event: Extract<RunEvent, { readonly type: Type }>,
  frame: FrameState,
) => void;

/** What each type changes; the others leave a warning at most. */
const FOLDS: { readonly [Type in EventType]?: Fold<Type> } = {
  workflow_started(state, { ts, data }) {
    beginDrive(state, ts, data);
    state.root.name = data.name;
    state.root.file = data.file;
    state.runName = data.run_name ?? null;
    state.evalId = data.eval_id ?? evalOfScenario(data.system?.scenario);
    state.isRehearsal = data.system?.scenario !== undefined;
    state.startedBy = data.started_by ?? null;
    state.firedBy = data.fired_by ?? null;
    state.changedBy = data.changed_by ?? [];
    state.semantics = data.semantics ?? {};
  },
  run_resumed(state, { ts, data }) {
    beginDrive(state, ts, data);
    if (data.force || data.from !== undefined) state.startedAnew = state.drives;
    state.changedBy = [...new Set([...state.changedBy, ...changersIn(data)])];
  },
  keyframe_resumed: (state, { data }) => goOnFromKeyframe(state, data),
  workflow_completed(state, event) {
    state.termination = terminationOf(event.data);
    state.status = statusAfter(event);
    state.output = event.data.output;
    endFrame(state, "completed");
  },
  workflow_failed(state, event) {
    state.status = statusAfter(event);
    endFailed(state, event.data);
  },
  run_paused(state, event) {
    state.status = statusAfter(event);
    for (const gate of state.gates.values()) {
      const asker = nodeAt(frameAt(state, gate.path), gate.key, gate.node);
      if (asker?.status === "running") setStatus(asker, "paused");
    }
  },
  run_cancelled(state, event) {
    const { reason, agent_name: node, by } = event.data;
    state.status = statusAfter(event);
    state.cancelled = { reason, node, ...(by === undefined ? {} : { by }) };
  },

  agent_started: (state, { ts, path, data }, frame) => started(state, frame, path, data, ts),
  wait_started(state, { data }) {
    // As the step counts it: a wait lasts from its beginning to its end, also while no process drove the run.
    if (data.remaining_seconds === undefined) return;
    state.activeBeforeMs += state.leftForMs;
    state.leftForMs = 0;
  },
  agent_completed: (state, { data }, frame) => completed(state, frame, data),
  agent_failed: (state, { data }, frame) => noteFailed(state, frame, data),
  agent_cancelled: (_, { data }, frame) => cancelled(frame, data),
  agent_reused: (state, { path, data }, frame) => reused(state, frame, path, data),
  agent_usage: (state, { data }, frame) => used(state, frame, data),
  agent_validator_complete(state, { data }, frame) {
    if (!frame.metered.has(data.agent_name)) count(state, nodeAt(frame, undefined, data.agent_name), data);
  },
  script_started: (_, { data }, frame) => scriptStarted(frame, data),

  error_raised: (_, { data }, frame) => errorRaised(frame, data),
  error_routed: (state, { path, data }, frame) => errorRouted(state, frame, path, data),
  error_recovered: (state, { path, data }, frame) => errorRecovered(state, frame, path, data),
  retry_scheduled: (_, { data }, frame) => retryScheduled(frame, data),

  parallel_started: (state, { path, data }, frame) =>
    groupStarted(state, frame, path, "parallel", data, data.agents.length, data.agents),
  for_each_started: (state, { path, data }, frame) =>
    groupStarted(state, frame, path, "for_each", data, data.item_count),
  parallel_agent_started: (_, { data }, frame) => memberStarted(frame, data),
  for_each_item_started: (_, { data }, frame) => memberStarted(frame, data),
  parallel_agent_completed: (_, { data }, frame) => memberCompleted(frame, data),
  for_each_item_completed: (_, { data }, frame) => memberCompleted(frame, data),
  parallel_agent_failed: (_, { data }, frame) => memberFailed(frame, data),
  for_each_item_failed: (_, { data }, frame) => memberFailed(frame, data),
  parallel_completed: (state, { path, data }, frame) => groupCompleted(state, frame, path, data),
  for_each_completed: (state, { path, data }, frame) => groupCompleted(state, frame, path, data),
  group_failed: (_, { data }, frame) => groupFailed(frame, data),
  subworkflow_started: (state, { data }, frame) => subworkflowStarted(state, frame, data),
  subworkflow_completed: (_, { data }, frame) => subworkflowEnded(frame, "completed", data),
  subworkflow_failed: (_, { data }, frame) => subworkflowEnded(frame, "failed", data),

  gate_presented: (state, { path, data }) =>
    ask(state, path, data, { kind: "gate", prompt: data.prompt, options: data.options, questions: [] }),
  questions_presented: (state, { path, data }) =>
    ask(state, path, data, { kind: "questions", prompt: data.prompt ?? "", options: [], questions: data.questions }),
  gate_resolved: (state, { data }) => void state.gates.delete(data.key),
  questions_completed: (state, { path, data }) => questionsCompleted(state, path, data),

  reused_behind_retry(state, { data }) {
    state.reusedBehind = data;
  },
  dead_lettered: (state, { data }) => void state.letters.set(data.letter, data.node),
  dead_letter_resolved: (state, { data }) => void state.letters.delete(data.letter),

  circuit_opened: (state, { data }) => void state.breakers.set(data.breaker, "open"),
  circuit_half_opened: (state, { data }) => void state.breakers.set(data.breaker, "half_open"),
  circuit_closed: (state, { data }) => void state.breakers.set(data.breaker, "closed"),
  circuit_awaited(_, { data: { key, node: name, breaker, until } }, frame) {
    const node = nodeAt(frame, key, name);
    if (node) node.hold = { breaker, until };
  },
  circuit_passed(_, { data: { key, node: name } }, frame) {
    const node = nodeAt(frame, key, name);
    if (node) node.hold = null;
  },
};

/** Segno 0.3 recorded only the scenario of an eval's row, a file in the folder of the eval. */
const evalOfScenario = (scenario: unknown): string | null =>
  (typeof scenario === "string" && /[\\/]evals[\\/]([0-7][0-9A-HJKMNP-TV-Z]{25})[\\/][^\\/]+$/.exec(scenario)?.[1]) ||
  null;

/** Runs of earlier versions have no key there. */
function questionsCompleted(
  state: RunState,
  path: readonly string[],
  { key, agent_name }: EventData<"questions_completed">,
): void {
  if (key !== undefined) state.gates.delete(key);
  else
    for (const [asked, gate] of state.gates)
      if (gate.node === agent_name && samePath(gate.path, path)) state.gates.delete(asked);
}

function beginDrive(state: RunState, ts: string, data: EventData<"workflow_started"> | EventData<"run_resumed">): void {
  state.drives += 1;
  state.driveStartedAt = ts;
  state.status = "running";
  state.inputs = data.inputs;
  state.hiddenInputs = secretNamesIn(data);
  state.definitionHash = data.definition_hash;
  state.provider = data.provider ?? state.provider;
  state.output = null;
  state.termination = null;
  state.reusedBehind = null;
  state.failure = null;
  state.cancelled = null;
  state.gates.clear();
  // Other runs, and people, may have changed them in between.
  state.breakers.clear();
  const { root } = state;
  root.outline = data.outline;
  root.name = data.outline.name;
  root.file = data.outline.file;
  root.drive = state.drives;
  root.status = "running";
  root.lastFailed = null;
}

function endFailed(state: RunState, data: EventData<"workflow_failed">): void {
  state.termination = terminationOf(data);
  state.output = data.output ?? null;
  state.failure = {
    errorType: data.error_type,
    message: data.message,
    node: data.agent_name,
    path: data.agent_path ?? [],
    error: data.error ?? null,
    errorsJsonl: data.errors_jsonl ?? null,
    resumable: data.resumable,
  };
  endFrame(state, "failed");
}

function endFrame(state: RunState, status: "completed" | "failed"): void {
  state.root.status = status;
  state.root.degraded = state.status === "degraded";
  state.root.termination = state.termination;
  state.gates.clear();
}

function ask(
  state: RunState,
  path: readonly string[],
  { agent_name: node, key, approvers, not_by, nor_by = [], deadline }: Asked,
  said: Pick<PendingGate, "kind" | "prompt" | "options" | "questions">,
): void {
  const others = [...new Set([...(not_by === undefined ? [] : [not_by]), ...nor_by])];
  const rules = {
    ...(approvers ? { approvers } : {}),
    ...(others.length > 0 ? { not_by: others } : {}),
    ...(deadline ? { deadline } : {}),
  };
  state.gates.set(key, { key, node, path, ...said, ...rules });
}

type Asked = Pick<EventData<"gate_presented">, "agent_name" | "key" | "approvers" | "not_by" | "nor_by" | "deadline">;

const samePath = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((slot, index) => slot === b[index]);
