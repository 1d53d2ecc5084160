// How a run stands, in the words of a banner: its end or what it waits for, why, and at which step.
import type { Envelope } from "../../errors/index.ts";
import { slotOf, slotOfFrame } from "../../events/key.ts";
import type { Failure, FrameState, RunState, RunStatus } from "../../events/state/state.ts";
import { currentWarnings, lostMembers } from "../../events/state/warnings.ts";
import type { Result } from "../../results/result.ts";
import type { InQueue } from "../fleet/queued-run.ts";

export interface Standing {
  /** `crashed`: its process is gone and left no word. */
  readonly status: RunStatus | "crashed" | "queued";
  readonly termination: "success" | "failed" | null;
  readonly headline: string | null;
  readonly reason: string | null;
  /** With its sub-workflows before it: package/verify. */
  readonly step: string | null;
  readonly kind: string | null;
  readonly error: Envelope | null;
  /** How many members groups went on without. */
  readonly lost: number;
}

/** Of a run in a fleet that no worker drives. */
export const standingInQueue = (state: RunState, { isQueued, sentence }: InQueue): Standing => ({
  ...standingOf(state, true),
  status: isQueued ? "queued" : "running",
  headline: sentence,
});

/** Of a run that no worker could drive: its journal does not say so. */
export const standingRefused = (state: RunState, { error }: Pick<Result, "error">): Standing => ({
  ...standingOf(state, true),
  status: "failed",
  headline: error,
});

export function standingOf(state: RunState, crashed: boolean): Standing {
  const { failure, termination, cancelled, status } = state;
  const lost = currentWarnings(state).reduce((sum, warning) => sum + lostMembers(warning), 0);
  const nothing = { termination: null, headline: null, reason: null, step: null, kind: null, error: null, lost };
  if (crashed) return { ...nothing, status: "crashed", headline: "its process is gone and left no word" };
  switch (status) {
    case "terminated":
      return {
        ...nothing,
        status,
        termination: termination?.status ?? null,
        headline: whyTerminated(state),
        reason: termination?.reason ?? null,
        step: termination?.terminatedBy ?? null,
      };
    case "failed":
      return {
        ...nothing,
        status,
        headline: failure?.message ?? null,
        step: failure ? whereRaised(state, failure) : null,
        kind: failure?.error?.kind ?? null,
        error: failure?.error ?? null,
      };
    case "paused": {
      const [gate] = state.gates.values();
      return { ...nothing, status, headline: gate?.prompt ?? null, step: gate ? stepOf(gate.path, gate.node) : null };
    }
    case "cancelled":
      return {
        ...nothing,
        status,
        headline: cancelled?.by === undefined ? (cancelled?.reason ?? null) : `cancelled by ${cancelled.by}`,
        reason: cancelled?.reason ?? null,
        step: cancelled?.node ?? null,
      };
    case "running":
    case "completed":
    case "degraded":
      return { ...nothing, status };
    default:
      return status satisfies never;
  }
}

/** Where the error came from: inside the sub-workflow that failed, as far as the run has been there. */
function whereRaised({ root }: RunState, { path, node, error }: Failure): string | null {
  const outer = stepOf(path, node);
  if (!error || error.propagated.length === 0) return outer;
  const [caller, ...inner] = [...error.propagated].reverse();
  const { group, item_key } = error;
  const slots = [...path, ...[...error.propagated].reverse().map(slotOfFrame)];
  // Runs of older versions name no items with the callers; the error then names the one of the outermost caller.
  const byError =
    caller === undefined || group === undefined || item_key === undefined
      ? slots
      : [...path, slotOf(caller.node, { group, key: item_key }), ...inner.map(slotOfFrame)];
  const known = [slots, byError].find((one) => frameWithin(root, one) !== undefined);
  return known ? stepOf(known, error.raised_at.node) : outer;
}

export const frameWithin = (root: FrameState, slots: readonly string[]): FrameState | undefined =>
  slots.reduce<FrameState | undefined>((frame, slot) => frame?.frames.get(slot), root);

/** Its reason. One that could not be rendered is only the step's name: what was wrong with it says more. */
function whyTerminated(state: RunState): string | null {
  const { termination } = state;
  if (!termination) return null;
  const { reason, terminatedBy } = termination;
  if (reason !== terminatedBy) return reason;
  return currentWarnings(state).find(({ kind, node }) => kind === "note" && node === terminatedBy)?.message ?? reason;
}

export const stepOf = (path: readonly string[], node: string | null): string | null =>
  node === null ? null : [...path, node].join("/");
