// What resilience and policies need of the world: state that runs share, slots for steps, code that authors wrote.
// Services implement it over the store, and in memory for scenarios, whose breakers, letters and slots are their own. What
// is shared may be far away: then its calls answer with promises.
import type { Envelope } from "../../errors/index.ts";
import type { Awaitable } from "../awaitable.ts";
import type { BreakerSettings } from "./resilience/breaker-state.ts";
import type { DeadLetter } from "./resilience/dead-letter.ts";
import type { AgentState, Policy } from "./resilience/policy.ts";
import type { AskableBreaker } from "./resilience/shared-breaker.ts";

export interface Governance {
  /** The breaker of that name, shared by everybody who calls the same thing. */
  breaker(name: string, settings: Partial<BreakerSettings>): AskableBreaker;
  readonly letters: LetterBox;
  readonly slots: SlotPool;
  readonly agents: AgentBoard;
  /** A policy from a module below `dir`. Loaded when first asked; what is wrong with it is its verdict. */
  policyModule(module: string, dir: string): Policy;
  /** A policy that a plugin brings; one that denies, and says so, when there is none of that name. */
  ownPolicy(name: string): Policy;
  /** The run's result object as text, as it would be if the run ended with this error of that step now. */
  resultWith(error: Envelope, node: string, path: readonly string[]): string;
}

export interface WaitingLetter {
  readonly id: string;
  readonly kind: string;
}

/** The dead letters of this run. */
export interface LetterBox {
  /** Keeps a letter and gives its id: that of the earlier one when the same place failed before. */
  put(letter: DeadLetter): Awaitable<string>;
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
