// `errors` and `warnings` of a run: what ended it, with every member of a group that did, and what it got over.
import type { Envelope, Traits } from "../errors/index.ts";
import { enumerated } from "../errors/nearest.ts";
import { callerOfSlot, visitNumber } from "../events/key.ts";
import { failedGroup } from "../events/state/read.ts";
import type { FrameState, NodeState, RunState, Warning } from "../events/state/state.ts";
import { currentWarnings, lostMembers } from "../events/state/warnings.ts";
import { entryOf, plainEntry, type ResultContext } from "./entry.ts";
import {
  type Going,
  hintFor,
  hintForEndedOnPurpose,
  hintForEnding,
  hintForHandled,
  hintForHandlerFailed,
} from "./hints.ts";
import type { Reader } from "./reader.ts";
import type { Entry } from "./result.ts";

export interface ResultParts {
  readonly state: RunState;
  readonly context: ResultContext;
  readonly reader: Reader;
  readonly resumable: boolean;
}

export function errorsOf(parts: ResultParts): Entry[] {
  const { state, context } = parts;
  if (context.interrupted && state.status === "running") {
    const running = [...state.root.nodes.values()].find(
      (node) => node.status === "running" && node.drive === state.root.drive,
    );
    const message = "the process that drove this run is gone, and it recorded no end";
    return [endingEntry(parts, "Interrupted", message, running?.name ?? null)];
  }
  if (state.cancelled && state.status === "cancelled")
    return [endingEntry(parts, "Cancelled", `the run was stopped: ${state.cancelled.reason}`, state.cancelled.node)];
  const { failure } = state;
  if (!failure) return [];
  if (!failure.error) return [endingEntry(parts, failure.errorType, failure.message, failure.node)];
  const group = failure.error.details.group === undefined ? null : failedGroup(state);
  if (!group) return [unhandledEntry(parts, failure.error, failure.node)];
  const failures = [...group.group.failures.values()];
  const carried = failures.findIndex(({ error }) => isRaisedAs(error, failure.error));
  return failures.map(({ node, itemKey, error }, index) => {
    const member = group.group.members.get(itemKey ?? node);
    // A group inside a sub-workflow: its members' errors crossed the same boundaries as the group's.
    const beyond = failure.error?.propagated.slice(error.propagated.length) ?? [];
    // What the group raised is one of them; how many others there were, and that it was systemic, is said with it.
    const details = index === carried && failure.error ? failure.error.details : error.details;
    const crossed = { ...error, details, propagated: [...error.propagated, ...beyond] };
    const more = { group: group.name, ...(itemKey === null ? {} : { item_key: itemKey }) };
    const start = { frame: frameOf(state, group.path), node: member, path: group.path };
    const going = { ...goingOn(parts, node), ...missingRoute(parts, error, node, start) };
    return raisedEntry(parts, crossed, node, start, hintFor(error, going), more);
  });
}

/** A group raises the error of a member, with more details, and perhaps as a later attempt. */
const isRaisedAs = (error: Envelope, raised: Envelope | null): boolean =>
  raised !== null &&
  error.kind === raised.kind &&
  error.message === raised.message &&
  JSON.stringify(error.raised_at) === JSON.stringify(raised.raised_at);

const goingOn = ({ state, reader, resumable }: ResultParts, node: string | null): Going => ({
  node,
  reader,
  run: resumable ? state.runId : null,
  lostItems: hasLost(state) ? reader.ask({ to: "run lost items", run: state.runId }) : null,
  isBegun: state.drives > 0,
});

/** Groups of the run went on without some of their members. */
export const hasLost = (state: RunState): boolean => currentWarnings(state).some((warning) => lostMembers(warning) > 0);

function endingEntry(parts: ResultParts, errorType: string, message: string, node: string | null): Entry {
  const { state, context } = parts;
  // A run that was stopped between steps, or before the first, was at no line.
  const isNowhere = node === null && (errorType === "Cancelled" || errorType === "Interrupted");
  const location = isNowhere ? undefined : context.locate?.({ node, path: [], error: null });
  return plainEntry({
    ...traitsOfEnding(errorType),
    message,
    node_id: node,
    action: errorType === "WorkflowTerminated" ? "terminate" : "error",
    error_type: errorType,
    hint: hintForEnding(errorType, goingOn(parts, node), {
      executions: state.executions,
      visits: visitNumber(state.root.nodes.get(node ?? "")?.key ?? ""),
    }),
    ...(location ? { location } : {}),
  });
}

function unhandledEntry(parts: ResultParts, error: Envelope, node: string | null): Entry {
  const { state } = parts;
  const { errorType, path } = state.failure ?? { errorType: "", path: [] };
  const frame = frameOf(state, path);
  const start = { frame, node: node === null ? undefined : frame.nodes.get(node), path };
  const more = errorType === "UnhandledWorkflowError" ? {} : { error_type: errorType };
  const going = { ...goingOn(parts, node), ...missingRoute(parts, error, node, start) };
  return raisedEntry(parts, error, node, start, hintFor(error, going), more);
}

/** From the step that raised the error outwards, the first that does not propagate it. */
function missingRoute(
  { context: { routedBy } }: ResultParts,
  error: Envelope,
  node: string | null,
  start: Start,
): Pick<Going, "missingRoute"> {
  if (!routedBy || node === null) return {};
  const { path } = originOf(start, error);
  const callers = path
    .map((slot, depth) => ({ node: callerOfSlot(slot), path: path.slice(0, depth) }))
    .slice(start.path.length)
    .reverse();
  for (const place of [{ node: error.propagated.length > 0 ? error.raised_at.node : node, path }, ...callers]) {
    const action = routedBy(place, error.kind);
    if (action !== "propagate") return { missingRoute: { node: place.node, isAfterRetries: action === "retry" } };
  }
  return {};
}

interface Start {
  readonly frame: FrameState;
  readonly node: NodeState | undefined;
  readonly path: readonly string[];
}

function raisedEntry(
  { context }: ResultParts,
  error: Envelope,
  node: string | null,
  start: Start,
  hint: string,
  more: Partial<Entry>,
): Entry {
  const origin = originOf(start, error);
  const [referenced] = typeof error.details.expression === "string" ? error.details.expression.split(/[.[]/, 1) : [];
  const place = { node: node === null ? null : error.raised_at.node, path: origin.path, error };
  return entryOf({
    error,
    node,
    action: error.kind === "halt.intentional" ? "halt" : "error",
    hint,
    location: context.locate?.(place),
    retryable: context.retries?.(place),
    stepType: origin.node?.type,
    shell: origin.node?.shell ?? null,
    referenced: origin.frame.nodes.get(referenced ?? "")?.shell ?? null,
    eventsFile: context.artifacts?.events_jsonl,
    more,
  });
}

/** Down the boundaries that an error crossed, to the node that raised it. */
function originOf(start: Start, error: Envelope): Start {
  let { frame, node, path } = start;
  for (let crossed = 0; crossed < error.propagated.length && node?.frame && node.frame.slot !== null; crossed++) {
    path = [...path, node.frame.slot];
    frame = node.frame;
    node = frame.nodes.get(frame.lastFailed ?? error.raised_at.node);
  }
  return { frame, node, path };
}

function frameOf(state: RunState, path: readonly string[]): FrameState {
  let frame = state.root;
  for (const slot of path) frame = frame.frames.get(slot) ?? frame;
  return frame;
}

export const warningsOf = (parts: ResultParts): Entry[] => [
  ...currentWarnings(parts.state).map((warning) => warningEntry(parts, warning)),
  ...leftBehind(parts),
];

/** Steps that may have to run again after a retry: a quiet command says it as well. */
export const REUSED_BEHIND_RETRY = "reused-behind-retry";

/** What outlives the run: reused steps that may be stale, dead letters that can be tried again, circuits that are still open. */
function* leftBehind({ state, reader, context }: ResultParts): Iterable<Entry> {
  if (state.reusedBehind) {
    const { steps, from } = state.reusedBehind;
    const [were, ran] = steps.length === 1 ? ["was", "it"] : ["were", "them"];
    const again = reader.ask({ to: "resume", run: state.runId, from });
    const what = `${enumerated(steps)} ${were} reused, although items before ${ran} ran again`;
    yield plainEntry({
      message: again === null ? what : `${what}. To run ${ran} again, with what follows: ${again}`,
      rule: REUSED_BEHIND_RETRY,
      ...(again === null ? {} : { hint: again }),
    });
  }
  const { size } = state.letters;
  if (size > 0) {
    const [what, them] = size === 1 ? ["1 dead letter is kept", "it"] : [`${size} dead letters are kept`, "them"];
    const [only] = state.letters.keys();
    const retry =
      size === 1 && only !== undefined
        ? reader.ask({ to: "retry", letter: only })
        : reader.ask({ to: "retry", run: state.runId });
    yield plainEntry(
      retry === null ? { message: `${what}.` } : { message: `${what}. To try ${them} again: ${retry}`, hint: retry },
    );
  }
  const breakers = reader.ask({ to: "list breakers" });
  for (const [breaker, status] of state.breakers) {
    if (status !== "open") continue;
    const reset = reader.ask({ to: "reset", breaker });
    const open = `the circuit ${breaker} is open: calls ${context.callsWait ? "wait" : "are refused"} until it has recovered`;
    yield plainEntry({
      message: breakers === null ? open : `${open} (${breakers})`,
      ...(reset === null ? {} : { hint: `To close it now: ${reset}` }),
    });
  }
}

function warningEntry(parts: ResultParts, warning: Warning): Entry {
  const { state, reader } = parts;
  const { node, path, error, group, itemKey, by, count } = warning;
  const canRetry = state.status === "degraded" || state.status === "terminated" || state.failure?.resumable === false;
  const lost = canRetry ? reader.ask({ to: "run lost items", run: state.runId }) : null;
  const frame = frameOf(state, path);
  const handler = by === null || group !== null ? undefined : frame.nodes.get(by);
  const failedToo = handler?.status === "failed" && handler.action !== "terminate";
  const more: Partial<Entry> = {
    ...(path.length > 0 ? { path } : {}),
    ...(group === null ? {} : { group }),
    ...(itemKey === null ? {} : { item_key: itemKey }),
    ...(by === null || failedToo ? {} : { recovered_by: by }),
    ...(count > 1 ? { count } : {}),
  };
  if (!error) {
    const again =
      warning.kind === "changed_files" && parts.resumable
        ? reader.ask({ to: "resume", run: state.runId, changedFiles: true })
        : null;
    const hint = again === null ? {} : { hint: `To run it again: ${again}` };
    return plainEntry({ message: warning.message, node_id: node, ...hint, ...more });
  }
  const owner = frame.nodes.get(node ?? "");
  const shown = warning.shell ?? owner?.shell ?? null;
  const known = owner ? { ...owner, shell: shown } : undefined;
  return raisedEntry(
    parts,
    error,
    node,
    { frame, node: known, path },
    failedToo
      ? hintForHandlerFailed(handler.name)
      : handler?.action === "terminate"
        ? hintForEndedOnPurpose(handler.name)
        : hintForHandled(by, group, lost),
    more,
  );
}

const limit: Traits = { category: "policy", fixable: true, retryable: false, owner: "workflow" };
const stopped: Traits = { category: "execution_failure", fixable: false, retryable: true, owner: "environment" };

const ENDINGS: Readonly<Record<string, Traits>> = {
  // The run used up `max_iterations`, `max_visits`, `limits.timeout_seconds`, or an enforced `budget_usd`.
  MaxIterationsError: limit,
  MaxVisitsError: limit,
  TimeoutError: limit,
  BudgetExceededError: limit,
  // A `terminate` step with `status: failed` ended the run.
  WorkflowTerminated: { category: "execution_failure", fixable: false, retryable: false, owner: "workflow" },
  // The process that drove an interrupted run is gone, and recorded no end.
  Cancelled: stopped,
  Interrupted: stopped,
  // The run could not be recorded: a full disk, a read-only home, a locked or corrupt store.
  StoreError: { category: "exception", fixable: false, retryable: true, owner: "environment" },
  // A scenario has no answer for something that the run asked.
  ScenarioError: { category: "execution_failure", fixable: true, retryable: false, owner: "input" },
};

const UNKNOWN: Traits = { category: "exception", fixable: false, retryable: false, owner: "engine" };

const traitsOfEnding = (errorType: string): Traits =>
  Object.hasOwn(ENDINGS, errorType) ? (ENDINGS[errorType] as Traits) : UNKNOWN;
