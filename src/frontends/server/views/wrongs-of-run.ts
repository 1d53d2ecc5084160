// What went wrong in one run, from one reading of its journal: how it ended, and every member that a group went on without.

import type { Envelope } from "../../../base/errors/index.ts";
import { keptIn } from "../../../base/errors/mapping.ts";
import { isInside, itemOfKey } from "../../../base/events/key.ts";
import type { EventData, RunEvent } from "../../../base/events/registry.ts";
import { apply, initialState } from "../../../base/events/state/fold.ts";
import type { RunState, Warning } from "../../../base/events/state/state.ts";
import { currentWarnings, lostMembers } from "../../../base/events/state/warnings.ts";
import { nodeId } from "../../../graph/run-ids.ts";
import { errorIdentity } from "../../../services/explain/trouble.ts";
import { readToShow } from "../../../services/reading/read-run.ts";
import type { Session } from "../../../services/session/session.ts";
import type { RunReader } from "../../../storage/run-reader.ts";
import { stepOf } from "./snapshot.ts";

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
  const shown = ({ at, first_at, ...failure }: RunFailure): RunFailure => ({
    ...(redactor.value(failure) as typeof failure),
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

// Where and when the errors of a run were raised, as its events tell. A group or a sub-workflow hands on what was raised
// inside of it: that leads down to the step that raised it, in the very item.

interface RaisingStep {
  /** Slots of the sub-workflows that it is in. */
  readonly path: readonly string[];
  readonly node: string;
  readonly item: string | null;
}

interface Raising extends RaisingStep {
  readonly at: string;
}

interface Heard {
  readonly place: string;
  readonly key: string | undefined;
  readonly error: string;
  readonly item: string | null;
  readonly raised: Raising;
}

class Raisings {
  /** The last of each step and item. */
  readonly #latest = new Map<string, Heard>();
  readonly #sameError = new Map<string, Heard[]>();

  add(event: RunEvent): void {
    if (event.type !== "error_raised") return;
    const { path, ts, data } = event;
    const { node, key, error } = data;
    const item = key === undefined ? null : itemOfKey(key);
    const identity = errorIdentity(error);
    const same = keptIn(this.#sameError, identity, () => []);
    const raised = handedOn(data, same)?.raised ?? { path, node, item, at: ts };
    const heard: Heard = { place: placeOf(path, node), key, error: identity, item, raised };
    same.push(heard);
    this.#latest.set(placeOf(path, node, item), heard);
  }

  /** What a member of a group failed with last. */
  ofMember(path: readonly string[], node: string, item: string | null, error: Envelope): Raising | undefined {
    const heard = this.#latest.get(placeOf(path, node, item));
    return heard?.error === errorIdentity(error) ? heard.raised : undefined;
  }

  /** What a step failed with, in whichever item. What halts a run is made of the error that a route took. */
  ofStep(path: readonly string[], node: string, { cause, ...error }: Envelope): Raising | undefined {
    const place = placeOf(path, node);
    const same = this.#sameError.get(errorIdentity(error)) ?? [];
    const found = same.findLast((heard) => heard.place === place)?.raised;
    return found ?? (cause ? this.ofStep(path, node, cause) : undefined);
  }
}

/** The same error inside of what raises it now; of a group that of the item which it names. */
function handedOn({ node, key, error }: EventData<"error_raised">, same: readonly Heard[]): Heard | undefined {
  if (key === undefined || (error.propagated.length === 0 && error.raised_at.node === node)) return undefined;
  const within = (heard: Heard): boolean => heard.key !== undefined && isInside(heard.key, key);
  const isNamed = (heard: Heard): boolean => error.group !== node || heard.item === (error.item_key ?? null);
  return same.findLast((heard) => within(heard) && isNamed(heard)) ?? same.findLast(within);
}

const placeOf = (path: readonly string[], node: string, item?: string | null): string =>
  JSON.stringify([path, node, item]);
