// What went wrong in one run, from one reading of its journal: how it ended, and every member that a group went on without.
import type { RunEvent } from "../../events/registry.ts";
import { apply, initialState } from "../../events/state/fold.ts";
import type { RunState, Warning } from "../../events/state/state.ts";
import { currentWarnings, lostMembers } from "../../events/state/warnings.ts";
import { nodeId } from "../../graph/run-ids.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import { readToShow } from "../runs/read-run.ts";
import type { Session } from "../session/session.ts";
import { type Raising, type RaisingStep, Raisings } from "./raisings.ts";
import { stepOf } from "./standing.ts";

export interface RunFailure {
  /** That the run failed at, or that was lost; with its sub-workflows before it. */
  readonly step: string | null;
  /** The step that raised, in the very item: it may be further inside. Of several, the last one. */
  readonly raised: RaisingStep | null;
  readonly kind: string | null;
  readonly error_type: string;
  /** Of several, the last one's. */
  readonly message: string;
  /** When it was raised: of several, the last and the first time. */
  readonly at: string;
  readonly first_at: string;
  /** How often it happened in the run. */
  readonly times: number;
}

export interface RunWrongs {
  /** What the run failed with, or why it ended itself badly. */
  readonly end: RunFailure | null;
  /** What was lost, by kind and step. */
  readonly lost: readonly RunFailure[];
}

/** The word for a run that ended itself as failed: no error of a step. */
export const ENDED_ITSELF = "WorkflowTerminated";

type End = Extract<RunEvent, { readonly type: "workflow_failed" | "workflow_completed" }>;

/** Everything as it may be shown. With `turn` others have theirs while a long journal is read. */
export async function wrongsOf(
  reader: RunReader,
  session: Pick<Session, "env">,
  turn?: () => Promise<void>,
): Promise<RunWrongs> {
  const state = initialState(reader.runId);
  const raisings = new Raisings();
  let end: End | undefined;
  let at = "";
  const use = (event: RunEvent): void => {
    apply(state, event);
    raisings.add(event);
    if (event.type === "workflow_failed" || event.type === "workflow_completed") end = event;
    at = event.ts;
  };
  const redactor = await readToShow(reader, session, use, turn);
  const shown = <Failure extends RunFailure>({ at, first_at, ...failure }: Failure): RunFailure => ({
    ...(redactor.value(failure) as Omit<Failure, "at" | "first_at">),
    at,
    first_at,
  });
  const badEnd = end && badEndOf(end, state, raisings);
  return { end: badEnd ? shown(badEnd) : null, lost: lostIn(state, at, raisings).map(shown) };
}

function badEndOf(end: End, { status, termination }: RunState, raisings: Raisings): RunFailure | null {
  const once = { times: 1, at: end.ts, first_at: end.ts };
  if (status === "terminated" && termination?.status === "failed" && end.data.is_explicit) {
    const { terminated_by: step = null, termination_reason: message = "" } = end.data;
    const raised = step === null ? null : { path: [], node: step, item: null };
    return { ...once, step, raised, kind: null, error_type: ENDED_ITSELF, message };
  }
  if (status !== "failed" || end.type !== "workflow_failed") return null;
  const { agent_name, agent_path = [], error, error_type, message } = end.data;
  const step = stepOf(agent_path, agent_name);
  const failure = { ...once, step, kind: error?.kind ?? null, error_type, message };
  if (agent_name === null) return { ...failure, raised: null };
  const raising = error && raisings.ofStep(agent_path, agent_name, error);
  return raising
    ? { ...failure, ...raisedBy(raising) }
    : { ...failure, raised: { path: agent_path, node: agent_name, item: null } };
}

const raisedBy = ({ at, ...raised }: Raising): Pick<RunFailure, "raised" | "at" | "first_at"> => ({
  raised,
  at,
  first_at: at,
});

/** @param end when nothing is known of when it was raised */
function lostIn(state: RunState, end: string, raisings: Raisings): readonly RunFailure[] {
  const lost = new Map<string, RunFailure>();
  for (const warning of currentWarnings(state)) {
    const times = lostMembers(warning);
    if (times === 0) continue;
    const failure = lostMember(warning, times, end, raisings);
    const { raised, step, kind } = failure;
    const name = JSON.stringify([raised ? nodeId(raised.path, raised.node) : step, kind]);
    const known = lost.get(name);
    lost.set(name, known ? together(known, failure) : failure);
  }
  return [...lost.values()];
}

function lostMember(
  { path, node, itemKey, message, error }: Warning,
  times: number,
  end: string,
  raisings: Raisings,
): RunFailure {
  const raising = node !== null && error ? raisings.ofMember(path, node, itemKey, error) : undefined;
  const unknown = { raised: node === null ? null : { path, node, item: itemKey }, at: end, first_at: end };
  return {
    step: stepOf(path, node),
    kind: error?.kind ?? null,
    error_type: error?.kind ?? "",
    message,
    times,
    ...(raising ? raisedBy(raising) : unknown),
  };
}

/** The same at the same step: how it was met last, under the name of the first. */
const together = (known: RunFailure, next: RunFailure): RunFailure => ({
  ...(next.at >= known.at ? next : known),
  step: known.step,
  first_at: next.first_at < known.first_at ? next.first_at : known.first_at,
  times: known.times + next.times,
});
