// Up to when a trigger has been looked after. A clock that was fast may have left a time there that has not come: nothing
// would fire until then, long after the clock was put right.
import type { Firing, Firings, TriggerState } from "../../hosts/firings.ts";
import { GRACE_MS, MOST_CAUGHT_UP } from "../../triggers/due.ts";

/** Firings of the past are kept for a month. */
export const KEPT_MS = 30 * 24 * 3600 * 1000;
/** So many records of a time to come are looked through. */
const MOST = 10_000;

/** `back`: from when on to look again when that time has not come. */
export async function triggerSeen(
  firings: Firings,
  trigger: string,
  { now, back = now }: { readonly now: number; readonly back?: number },
): Promise<TriggerState> {
  const state = await firings.state(trigger);
  // A moment ahead is the difference between two who know the time, and what came in it was fired, not missed.
  if (state.seenUntil === null || state.seenUntil <= now + GRACE_MS) return state;
  await firings.takeBack(trigger, Math.min(back, await beforeForgotten(firings, trigger, now)), now);
  return firings.state(trigger);
}

/**
 * Before the first moment whose record is taken back. The fast clock passed over it, and its time may have come meanwhile:
 * it is looked at again then, and not only what comes after now. What made a run has a mark and makes no other, as long as
 * it is kept.
 */
async function beforeForgotten(firings: Firings, trigger: string, now: number): Promise<number> {
  const records = [
    ...(await firings.list({ trigger, status: "skipped", limit: MOST })),
    ...(await firings.list({ trigger, status: "failed", limit: MOST })),
  ];
  const moments = records
    .filter(({ firedAt }) => Date.parse(firedAt) > now)
    .map(momentOf)
    .filter((moment) => !Number.isNaN(moment));
  return Math.max(Math.min(now, ...moments.map((moment) => moment - 1)), now - KEPT_MS);
}

/** The first that it stands for. */
function momentOf(firing: Firing): number {
  const { scheduled_at = "" } = (firing.body.cause ?? {}) as { readonly scheduled_at?: string };
  return Date.parse(leftOutOf(firing)?.from ?? scheduled_at);
}

// The one record of moments that were too many for a record each.

export interface RecordedLeftOut {
  readonly count: number;
  /** The first and the last of them, as ISO times. */
  readonly from: string;
  readonly to: string;
}

export const leftOutOf = ({ body }: Pick<Firing, "body">): RecordedLeftOut | undefined =>
  (body.cause as { readonly left_out?: RecordedLeftOut } | undefined)?.left_out;

/** So many records of what was skipped since are looked through: those of a whole catching up, and more. */
const MOST_SKIPPED = 2 * MOST_CAUGHT_UP;

export async function newestLeftOut(firings: Firings, trigger: string): Promise<Firing | undefined> {
  const skipped = await firings.list({ trigger, status: "skipped", limit: MOST_SKIPPED });
  return skipped.find((firing) => leftOutOf(firing) !== undefined);
}
