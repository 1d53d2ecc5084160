// The engine's retry policy with the names of the library, and dice of its own.

import { isMapping } from "../../base/errors/mapping.ts";
import { RetryPolicy, type RetrySettings } from "../../engine/guard/resilience/index.ts";
import { checkMade, checkTaken, isTexts, type Wanted } from "../../frontends/library/wrong-call.ts";

/** Names of the library for the settings that a file writes with `_`. */
export interface RetryOptions extends Partial<RetrySettings> {
  /** Retries after the first attempt: 3 retries are 4 executions. */
  readonly maxRetries?: number;
  /** Seconds before the first retry. */
  readonly initialDelay?: number;
  readonly backoffMultiplier?: number;
  /** Seconds. */
  readonly maxDelay?: number;
}

const NUMBER: Wanted = ["a number, 0 or more", (value) => typeof value === "number" && value >= 0];

const OPTIONS: Readonly<Record<string, Wanted>> = {
  maxRetries: NUMBER,
  initialDelay: NUMBER,
  backoffMultiplier: NUMBER,
  maxDelay: NUMBER,
  jitter: ['a number, 0 or more, or "full"', (value) => value === "full" || NUMBER[1](value)],
  retryable: ["a list of kinds", isTexts],
};

/** The names of files are taken as well. */
const OF_FILES: Readonly<Record<string, Wanted>> = {
  max_retries: NUMBER,
  initial_delay: NUMBER,
  backoff_multiplier: NUMBER,
  max_delay: NUMBER,
  wait_for_reset: NUMBER,
};

/**
 * How often to try again, and how long to wait before.
 *
 * @example
 * const policy = new RetryPolicy({ maxRetries: 5, jitter: "full" });
 * const seconds = policy.isRetryable("http.unavailable") ? policy.delay(0, { retryAfter: 2 }) : undefined;
 */
export class RollingRetryPolicy extends RetryPolicy {
  constructor(options: RetryOptions = {}, random: () => number = Math.random) {
    checkMade("RetryPolicy", options, { ...OPTIONS, ...OF_FILES });
    const { maxRetries, initialDelay, backoffMultiplier, maxDelay, ...rest } = options;
    const named = {
      max_retries: maxRetries,
      initial_delay: initialDelay,
      backoff_multiplier: backoffMultiplier,
      max_delay: maxDelay,
    };
    super({ ...rest, ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) }, random);
  }

  override delay(attempt: number, asked: { readonly retryAfter?: unknown } = {}): number {
    checkTaken("delay of RetryPolicy", NUMBER, attempt);
    checkTaken("delay of RetryPolicy", ["an attempt, and { retryAfter }", isMapping], asked);
    return super.delay(attempt, asked);
  }
}
