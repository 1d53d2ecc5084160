// The interface between a visit and its guard, and what the guard needs from outside. Services implement it over the
// store, and in memory for scenarios. On a fleet the store is remote: its calls answer with promises.

import type { Awaitable } from "../base/awaitable.ts";
import type { Envelope, Raised } from "../base/errors/index.ts";
import type { PastFailure } from "../base/events/visits/recall.ts";
import type { PolicyEntry } from "../language/schema/resilience.ts";
import type { CallBreakers } from "../steps/step-type.ts";
import type { BreakerSettings, BreakerStatus } from "./guard/resilience/breaker-state.ts";
import type { DeadLetter } from "./guard/resilience/dead-letter.ts";
import type { AgentState, AttemptContext, Policy, PolicyResult } from "./guard/resilience/policy.ts";
import type { AskableBreaker } from "./guard/resilience/shared-breaker.ts";

/** The admission of one attempt: asked before it, informed after it, given back whatever happened. */
export interface AttemptAdmission {
  /** For calls that the step makes by itself. */
  readonly calls: CallBreakers | undefined;
  /** The breaker of what was called, as it was when the attempt had ended. */
  readonly breaker: BreakerStatus | undefined;
  /** Why the attempt must not be made; nothing when it may. Waits for a slot if there is a limit. */
  enter(values: unknown, attempt: number): Promise<Raised | undefined>;
  /** A container is entered that had ended well: it is no new attempt, so no policy is asked. */
  enterAgain(): void;
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

export interface Governance {
  /** The breaker of that name, shared by everybody who calls the same thing. */
  breaker(name: string, settings: Partial<BreakerSettings>): AskableBreaker;
  readonly letters: LetterBox;
  readonly slots: SlotPool;
  readonly agents: AgentBoard;
  /** A policy of somebody's code: a module below `dir`, or one that a plugin brings. What is wrong with it is its verdict. */
  policyFrom(entry: PolicyEntry, dir: string): Policy | undefined;
  /** A scenario's verdict on an attempt, in place of all policies. */
  verdictOn?(attempt: AttemptContext): PolicyResult | undefined;
  /** The run's result object as text, as it would be if the run ended with this error of that step now. */
  resultWith(error: Envelope, node: string, path: readonly string[]): string;
}

/** Who answers for policies in a run that a scenario, or the journal of a past run, answers for. */
export interface PolicyAnswers extends Pick<Governance, "verdictOn"> {
  /** A policy in place of the file's. Undefined for one that the engine judges anew; `real` makes any other. */
  policyFrom(entry: PolicyEntry, real: () => Policy): Policy | undefined;
}

export interface WaitingLetter {
  readonly id: string;
  readonly kind: string;
}

/** The dead letters of this run. */
export interface LetterBox {
  /**
   * Keeps a letter and gives its id: that of the earlier one when the same place failed before. `failedAt`: when an earlier
   * drive recorded the failure; a letter that was kept since then is of this failure already.
   */
  put(letter: DeadLetter, failedAt?: string): Awaitable<string>;
  /** The letter of that place, if one waits for a success. */
  waiting(place: string): Awaitable<WaitingLetter | undefined>;
  /** The step or item at that place succeeded: its open letter, if there is one, is resolved. */
  resolve(place: string): void | Promise<void>;
}

export interface SlotPool {
  /** How many slots are taken. */
  taken(): Awaitable<number>;
  /** Waits for one of `max` slots. Gives what frees it; nothing when the signal aborted first. */
  acquire(max: number, signal: AbortSignal): Promise<(() => void | Promise<void>) | undefined>;
}

/** Which agents (steps, by name) run in which run, and how each went last. */
export interface AgentBoard {
  /** Enters this run's execution, unless another run has the agent: then nothing is entered. */
  begin(step: string, key: string): Awaitable<Omit<AgentState, "breaker">>;
  /** `ok` is absent when it never ran. */
  end(step: string, key: string, ok?: boolean): void | Promise<void>;
}
