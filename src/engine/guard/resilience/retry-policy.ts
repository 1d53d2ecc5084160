// Retries of `resilience.retry`: how often, and after which delays, a step is retried whose error no route took. Pure: the
// dice are handed in. The delays of a route's retries are in ../../visit/route-retries.ts.
import { type Details, matches, mayBeDone, traitsOf } from "../../../base/errors/index.ts";
import { type Jitter, jittered } from "../../../base/errors/jitter.ts";

export interface RetrySettings {
  /** Retries after the first attempt: 3 retries are 4 executions. */
  readonly max_retries: number;
  /** Seconds. */
  readonly initial_delay: number;
  readonly backoff_multiplier: number;
  /** In place of the multiplier. */
  readonly backoff?: "exponential" | "linear" | "fixed";
  /** Seconds. */
  readonly max_delay: number;
  readonly jitter: Jitter;
  /** The longest wait for a provider's limit to be reset, in seconds; none when left out. */
  readonly wait_for_reset?: number;
  /** Kinds and prefixes; every kind that the registry calls retryable when left out. */
  readonly retryable?: readonly string[];
}

export const RETRY_DEFAULTS: RetrySettings = {
  max_retries: 3,
  initial_delay: 1,
  backoff_multiplier: 2,
  max_delay: 60,
  jitter: 0.1,
};

/**
 * When to try again, and whether to.
 *
 * @example
 * const policy = new RetryPolicy({ max_retries: 5, jitter: "full" }, Math.random);
 * const seconds = policy.isRetryable("http.unavailable") ? policy.delay(0, { retryAfter: 2 }) : undefined;
 */
export class RetryPolicy {
  readonly settings: RetrySettings;
  readonly #random: () => number;

  constructor(settings: Partial<RetrySettings>, random: () => number) {
    this.settings = { ...RETRY_DEFAULTS, ...settings };
    this.#random = random;
  }

  /** Whether a kind may be tried again at all. What may have been done already is not, whatever the list says. */
  isRetryable(kind: string, details: Details = {}): boolean {
    const { retryable } = this.settings;
    if (mayBeDone(kind, details)) return false;
    return retryable ? matches(retryable, kind) : traitsOf(kind, details).retryable;
  }

  /**
   * Seconds to wait after attempt number `attempt` (0 is the first), never more than `max_delay`. What the other side
   * asked for is a floor, as far as `max_delay` allows.
   */
  delay(attempt: number, { retryAfter }: { readonly retryAfter?: unknown } = {}): number {
    const { max_delay, jitter } = this.settings;
    const capped = Math.min(grownDelay(this.settings, Math.max(0, attempt)), max_delay);
    const asked = Math.min(secondsAsked(retryAfter), max_delay);
    const spread = jitter === "full" ? capped : Math.max(capped, asked);
    return Math.max(asked, jittered(spread, jitter, this.#random(), max_delay));
  }
}

function grownDelay({ initial_delay, backoff_multiplier, backoff }: RetrySettings, retries: number): number {
  // 0 × ∞ is no number, and no wait either.
  if (initial_delay === 0 || backoff === "fixed") return initial_delay;
  if (backoff === "linear") return initial_delay * (retries + 1);
  return initial_delay * (backoff === "exponential" ? 2 : backoff_multiplier) ** retries;
}

const secondsAsked = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
