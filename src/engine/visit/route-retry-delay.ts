// How long to wait before a step runs again because a route says `retry`. Pure: the dice are thrown by the caller. The waits of
// `resilience.retry`, for errors that no route took, are in guard/resilience/retry-policy.ts.
import type { Details } from "../../errors/index.ts";
import { resetOf } from "../../errors/retry-after.ts";
import type { RetryAction } from "../../language/schema/index.ts";

/**
 * The wait before retry number `nth` (1 is the first). Capped, then lengthened by what the error asked for (up to the
 * cap), then jittered: jitter comes after the cap so that capped waits still spread.
 */
export function routeRetryDelaySeconds(retry: RetryAction, nth: number, dice: number, retryAfter?: unknown): number {
  const { backoff, initial_seconds: first, max_seconds: most, jitter } = retry;
  const grown = backoff === "exponential" ? first * 2 ** (nth - 1) : backoff === "linear" ? first * nth : first;
  const asked = typeof retryAfter === "number" && Number.isFinite(retryAfter) ? retryAfter : 0;
  const capped = Math.min(Math.max(grown, asked), most);
  return capped * (1 + dice * jitter);
}

/** Of a wait: runs that wait for one reset do not all come back in the same second. */
const RESET_JITTER = 0.01;
const MOST_JITTER_SECONDS = 30;
const LONGEST_PAUSE_SECONDS = 60;

/**
 * The wait for a reset, in seconds from `endedAt`, never longer than `most`. One that has passed and holds all the same
 * (clocks differ) is asked again after pauses that grow, so that no loop is made of it.
 */
export function resetDelaySeconds(details: Details, endedAt: number, nth: number, dice: number, most: number): number {
  const reset = resetOf(details);
  const seconds = reset?.at === undefined ? (reset?.seconds ?? 0) : (reset.at - endedAt) / 1000;
  const wait = Math.max(seconds, Math.min(2 ** (nth - 1), LONGEST_PAUSE_SECONDS));
  return Math.min(wait, most) + dice * Math.min(wait * RESET_JITTER, MOST_JITTER_SECONDS);
}
