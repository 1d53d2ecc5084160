// What passes between a visit and its guard: the admission of one attempt, and an error that no route took.
import type { Envelope, Raised } from "../../errors/index.ts";
import type { PastFailure } from "../../events/visits/recall.ts";
import type { CallBreakers } from "../../steps/executor.ts";
import type { BreakerStatus } from "./resilience/breaker-state.ts";

/** The admission of one attempt: asked before it, informed after it, given back whatever happened. */
export interface AttemptAdmission {
  /** For calls that the step makes by itself. */
  readonly calls: CallBreakers | undefined;
  /** The breaker of what was called, as it was when the attempt had ended. */
  readonly breaker: BreakerStatus | undefined;
  /** Why the attempt must not be made; nothing when it may. Waits for a slot if there is a limit. */
  enter(values: unknown, attempt: number): Promise<Raised | undefined>;
  /** How the attempt ended, as its executor said it and as the step's own rules made it; nothing when it went well. */
  ended(executors: Raised | undefined, steps: Raised | undefined): void | Promise<void>;
  /** Always called, also when the run breaks: slots are free again, probes are given back. */
  release(): void | Promise<void>;
}

/** What the wait before a retry by policy was: one that grows, or one for a provider's limit to be reset. */
export type RetriedBy = "backoff" | "reset";

export interface UnroutedError {
  readonly error: Envelope;
  /** Of all attempts that this drive saw, this one included. */
  readonly errors: readonly PastFailure[];
  readonly attempt: number;
  /** A route of the author's propagates it: it is not handled, but it is not to be retried here. */
  readonly isPropagated: boolean;
  /** Retries that the policy made on this visit so far. */
  readonly retries: number;
  /** And waits for a reset. */
  readonly resets: number;
  readonly breaker: BreakerStatus | undefined;
  /** The step's inputs as rendered, when they could be. */
  readonly values: unknown;
  readonly endedAt: number;
  readonly dice: number;
}
