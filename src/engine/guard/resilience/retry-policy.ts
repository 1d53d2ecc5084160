// Retries of `resilience.retry`: how often, and after which delays, a step is retried whose error no route took. Pure: the
// dice are handed in. The delays of a route's retries are in ../../visit/route-retries.ts.
import { type Details, matches, mayBeDone, traitsOf } from "../../../base/errors/index.ts";

export interface RetrySettings {
  /** Retries after the first attempt: 3 retries are 4 executions. */
  readonly max_retries: number;
  /** Seconds. */
  readonly initial_delay: number;
  readonly backoff_multiplier: number;
  /** Seconds. */
  readonly max_delay: number;
  /** A fraction by which a wait is lengthened at random, or `full`: anything from 0 to the wait. */
  readonly jitter: number | "full";
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
    const { initial_delay, backoff_multiplier, max_delay, jitter } = this.settings;
    // 0 × ∞ is no number, and no wait either.
    const grown = initial_delay === 0 ? 0 : initial_delay * backoff_multiplier ** Math.max(0, attempt);
    const capped = Math.min(grown, max_delay);
    const asked = Math.min(secondsAsked(retryAfter), max_delay);
    if (jitter === "full") return Math.max(capped * this.#random(), asked);
    const lengthened = Math.max(capped, asked) * (1 + jitter * this.#random());
    // What exceeds the cap is mirrored below it: capped waits still spread.
    return Math.max(asked, Math.min(lengthened, 2 * max_delay - lengthened));
  }
}

const secondsAsked = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
