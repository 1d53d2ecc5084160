// How long to wait before a step runs again because a route says `retry`. Pure: the dice are thrown by the caller. The waits of
// `resilience.retry`, for errors that no route took, are in guard/resilience/retry-policy.ts.
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
