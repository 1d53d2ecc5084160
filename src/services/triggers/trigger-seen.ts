// Up to when a trigger has been looked after. A clock that was fast may have left a time there that has not come: nothing
// would fire until then, long after the clock was put right.
import type { Firings, TriggerState } from "../../hosts/firings.ts";
import { GRACE_MS } from "../../triggers/due.ts";

/** `back`: from when on to look again when that time has not come. */
export async function triggerSeen(
  firings: Firings,
  trigger: string,
  { now, back = now }: { readonly now: number; readonly back?: number },
): Promise<TriggerState> {
  const state = await firings.state(trigger);
  // A moment ahead is the difference between two who know the time, and what came in it was fired, not missed.
  if (state.seenUntil === null || state.seenUntil <= now + GRACE_MS) return state;
  await firings.takeBack(trigger, back);
  return firings.state(trigger);
}
