// What went wrong in one run, from one reading of its journal: how it ended, and every member that a group went on without.
import type { Envelope } from "../../errors/index.ts";
import { apply, initialState } from "../../events/fold.ts";
import type { RunEvent } from "../../events/registry.ts";
import type { RunState } from "../../events/state.ts";
import { currentWarnings, lostMembers } from "../../events/warnings.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import { readToShow } from "../read-run.ts";
import type { Surroundings } from "../request.ts";
import { stepOf } from "./standing.ts";

export interface RunFailure {
  /** With its sub-workflows before it. */
  readonly step: string | null;
  readonly kind: string | null;
  readonly error_type: string;
  /** Of several, the first one's. */
  readonly message: string;
  readonly at: string;
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
  surroundings: Pick<Surroundings, "env">,
  turn?: () => Promise<void>,
): Promise<RunWrongs> {
  const state = initialState(reader.runId);
  let end: End | undefined;
  let at = "";
  const use = (event: RunEvent): void => {
    apply(state, event);
    if (event.type === "workflow_failed" || event.type === "workflow_completed") end = event;
    at = event.ts;
  };
  const redactor = await readToShow(reader, surroundings, use, turn);
  const shown = <Failure extends RunFailure>({ at, ...failure }: Failure): RunFailure => ({
    ...(redactor.value(failure) as Omit<Failure, "at">),
    at,
  });
  const badEnd = end && badEndOf(end, state);
  return { end: badEnd ? shown(badEnd) : null, lost: lostIn(state, at).map(shown) };
}

function badEndOf(end: End, { status, termination }: RunState): RunFailure | null {
  if (status === "terminated" && termination?.status === "failed" && end.data.is_explicit) {
    const { terminated_by: step = null, termination_reason: message = "" } = end.data;
    return { step, kind: null, error_type: ENDED_ITSELF, message, at: end.ts, times: 1 };
  }
  if (status !== "failed" || end.type !== "workflow_failed") return null;
  const { agent_name, agent_path = [], error, error_type, message } = end.data;
  const step = stepOf(agent_path, agent_name);
  return { step, kind: error?.kind ?? null, error_type, message, at: end.ts, times: 1 };
}

function lostIn(state: RunState, at: string): readonly RunFailure[] {
  const lost = new Map<string, RunFailure>();
  for (const warning of currentWarnings(state)) {
    const times = lostMembers(warning);
    if (times === 0) continue;
    const { path, node, message, error } = warning;
    const step = stepOf(path, node);
    const name = JSON.stringify([step, error?.kind]);
    const known = lost.get(name);
    lost.set(name, known ? { ...known, times: known.times + times } : first({ step, message, at, times }, error));
  }
  return [...lost.values()];
}

const first = (place: Omit<RunFailure, "kind" | "error_type">, error: Envelope | null): RunFailure => ({
  ...place,
  kind: error?.kind ?? null,
  error_type: error?.kind ?? "",
});
