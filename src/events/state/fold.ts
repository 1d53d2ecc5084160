// From events to a run's state: one function, used by resume, results, the terminal and the dashboard. It changes the
// state in place, since a copy per event would cost more than the event; a caller that needs a past state folds again.
import type { EventData, RunEvent } from "../registry.ts";
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
import type { PendingGate, RunState } from "./state.ts";
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
    gates: new Map(),
    warnings: new Map(),
    usage: noUsage(),
    usageByModel: new Map(),
    breakers: new Map(),
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
  switch (event.type) {
    case "workflow_started":
      beginDrive(state, event.ts, event.data);
      state.root.name = event.data.name;
      state.root.file = event.data.file;
      state.startedBy = event.data.started_by ?? null;
      state.firedBy = event.data.fired_by ?? null;
      state.changedBy = event.data.changed_by ?? [];
      break;
    case "run_resumed":
      beginDrive(state, event.ts, event.data);
      if (event.data.force || event.data.from !== undefined) state.startedAnew = state.drives;
      state.changedBy = [...new Set([...state.changedBy, ...changersIn(event.data)])];
      break;
    case "keyframe_resumed":
      goOnFromKeyframe(state, event.data);
      break;
    case "workflow_completed":
      state.termination = terminationOf(event.data);
      state.status = statusAfter(event);
      state.output = event.data.output;
      endFrame(state, "completed");
      break;
    case "workflow_failed":
      state.status = statusAfter(event);
      endFailed(state, event.data);
      break;
    case "run_paused":
      state.status = statusAfter(event);
      for (const gate of state.gates.values()) {
        const asker = nodeAt(frameAt(state, gate.path), gate.key, gate.node);
        if (asker?.status === "running") setStatus(asker, "paused");
      }
      break;
    case "run_cancelled":
      state.status = statusAfter(event);
      state.cancelled = {
        reason: event.data.reason,
        node: event.data.agent_name,
        ...(event.data.by === undefined ? {} : { by: event.data.by }),
      };
      break;

    case "agent_started":
      started(state, frame, event.data, event.ts);
      break;
    case "wait_started":
      // As the step counts it: a wait lasts from its beginning to its end, also while no process drove the run.
      if (event.data.remaining_seconds !== undefined) {
        state.activeBeforeMs += state.leftForMs;
        state.leftForMs = 0;
      }
      break;
    case "agent_completed":
      completed(state, frame, event.data);
      break;
    case "agent_failed":
      noteFailed(state, frame, event.data);
      break;
    case "agent_cancelled":
      cancelled(frame, event.data);
      break;
    case "agent_reused":
      reused(state, frame, path, event.data);
      break;
    case "agent_usage":
      used(state, frame, event.data);
      break;
    case "agent_validator_complete":
      if (!frame.metered.has(event.data.agent_name))
        count(state, nodeAt(frame, undefined, event.data.agent_name), event.data);
      break;
    case "script_started":
      scriptStarted(frame, event.data);
      break;

    case "error_raised":
      errorRaised(frame, event.data);
      break;
    case "error_routed":
      errorRouted(state, frame, path, event.data);
      break;
    case "error_recovered":
      errorRecovered(state, frame, path, event.data);
      break;
    case "retry_scheduled":
      retryScheduled(frame, event.data);
      break;

    case "parallel_started":
      groupStarted(state, frame, path, "parallel", event.data, event.data.agents.length, event.data.agents);
      break;
    case "for_each_started":
      groupStarted(state, frame, path, "for_each", event.data, event.data.item_count);
      break;
    case "parallel_agent_started":
    case "for_each_item_started":
      memberStarted(frame, event.data);
      break;
    case "parallel_agent_completed":
    case "for_each_item_completed":
      memberCompleted(frame, event.data);
      break;
    case "parallel_agent_failed":
    case "for_each_item_failed":
      memberFailed(frame, event.data);
      break;
    case "parallel_completed":
    case "for_each_completed":
      groupCompleted(state, frame, path, event.data);
      break;
    case "group_failed":
      groupFailed(frame, event.data);
      break;
    case "subworkflow_started":
      subworkflowStarted(state, frame, event.data);
      break;
    case "subworkflow_completed":
      subworkflowEnded(frame, "completed", event.data);
      break;
    case "subworkflow_failed":
      subworkflowEnded(frame, "failed", event.data);
      break;

    case "gate_presented":
      ask(state, path, "gate", event.data, event.data.prompt, event.data.options, []);
      break;
    case "questions_presented":
      ask(state, path, "questions", event.data, event.data.prompt ?? "", [], event.data.questions);
      break;
    case "gate_resolved":
      state.gates.delete(event.data.key);
      break;
    case "questions_completed":
      questionsCompleted(state, path, event.data);
      break;

    case "dead_lettered":
      state.letters.set(event.data.letter, event.data.node);
      break;
    case "dead_letter_resolved":
      state.letters.delete(event.data.letter);
      break;

    case "circuit_opened":
      state.breakers.set(event.data.breaker, "open");
      break;
    case "circuit_half_opened":
      state.breakers.set(event.data.breaker, "half_open");
      break;
    case "circuit_closed":
      state.breakers.set(event.data.breaker, "closed");
      break;

    default:
      warnOf(state, event);
  }
  applyItemWay(frame, event);
  return state;
}

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
  kind: PendingGate["kind"],
  { agent_name: node, key, approvers, not_by, nor_by = [] }: Asked,
  prompt: string,
  options: PendingGate["options"],
  questions: PendingGate["questions"],
): void {
  const others = [...new Set([...(not_by === undefined ? [] : [not_by]), ...nor_by])];
  const rules = { ...(approvers ? { approvers } : {}), ...(others.length > 0 ? { not_by: others } : {}) };
  state.gates.set(key, { key, node, path, kind, prompt, options, questions, ...rules });
}

type Asked = Pick<EventData<"gate_presented">, "agent_name" | "key" | "approvers" | "not_by" | "nor_by">;

const samePath = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((slot, index) => slot === b[index]);
