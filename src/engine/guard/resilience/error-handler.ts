// What happens to an error that no route took. One decision tree, a pure function.
import type { Raised } from "../../../base/errors/index.ts";
import type { BreakerStatus } from "./breaker-state.ts";
import type { RetryPolicy } from "./retry-policy.ts";

export type Verdict = "RETRY" | "ESCALATE" | "DEAD_LETTER";

export interface FailureCircumstances {
  /** Retries made so far: 0 after the first execution. */
  readonly attempt: number;
  /** The status of the breaker of what was called, after it heard of this failure. Absent: there is none. */
  readonly breaker?: BreakerStatus;
}

/**
 * Decides between trying again, escalating, and keeping it for later.
 *
 *     breaker open?            yes → DEAD_LETTER
 *     kind retryable?          no  → ESCALATE
 *     attempt < max_retries?   no  → DEAD_LETTER
 *                              yes → RETRY
 *
 * @example
 * const handler = new ErrorHandler(new RetryPolicy({ max_retries: 3 }, Math.random));
 * handler.decide(raised("http.unavailable", "503"), { attempt: 0, breaker: "closed" }); // "RETRY"
 */
export class ErrorHandler {
  constructor(readonly policy: RetryPolicy) {}

  decide(error: Raised, { attempt, breaker }: FailureCircumstances): Verdict {
    const isRetryable = this.policy.isRetryable(error.kind, error.details);
    // A breaker that is half open and full refuses as well. Where a policy does not wait for it, it counts as open: a report
    // for each refusal would be noise.
    if (breaker === "open" || (error.kind === "circuit.open" && !isRetryable)) return "DEAD_LETTER";
    if (!isRetryable) return "ESCALATE";
    return attempt < this.policy.settings.max_retries ? "RETRY" : "DEAD_LETTER";
  }
}
