// What running and resuming can be given.

import type { Progress, Question, Answer as Signed, Unsigned } from "../engine/people/ask.ts";
import type { Listener } from "./event.ts";
import type { Options, Store } from "./options.ts";

/** What every call that drives a run can be given. */
export interface DriveOptions extends Options {
  /** Where the run is kept; the command line's store when left out. */
  readonly store?: Pick<Store, "home" | "fleet">;
  readonly clock?: Clock;
  /**
   * Called with every event, redacted: a function, or one for each type. Its first exception becomes a process warning;
   * the run goes on.
   */
  readonly on?: Listener;
  /** Stops the run; it stays resumable. */
  readonly signal?: AbortSignal;
  /** Answers gates and questions; without it a gate pauses the run. */
  readonly ask?: Asker;
}

export interface RunOptions extends DriveOptions {
  /** By name. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly maxIterations?: number;
  /** Whom agents ask, whatever the file says. */
  readonly provider?: string;
  /** Take the first option of every gate. */
  readonly skipGates?: boolean;
  /** Of `run`: a scenario, whose scripted answers stand in for the outside. */
  readonly scenario?: string;
  /** Of `run`: `power` has each step on disk before the next begins. */
  readonly durability?: "process" | "power";
  /** Of `run`, on a fleet: whether it is taken before others that wait; what the file says when left out. */
  readonly priority?: "high" | "normal" | "low";
}

export interface ResumeOptions extends Omit<RunOptions, "scenario" | "durability" | "priority"> {
  /** Another workflow file than the run was driven with so far: an edited copy. */
  readonly file?: string;
  /** Start at this step. */
  readonly from?: string;
  /** Reuse nothing. */
  readonly force?: boolean;
  /** Of a run that lost items of its groups: run them again. In a degraded run, what reads them runs again, too. */
  readonly failedItems?: boolean;
  /** Also run steps again whose script files have changed since they ran. */
  readonly changedFiles?: boolean;
}

// Answering gates and questions from code: what `ask` is given, and what it gives.

type OfKind<Kind extends Signed["kind"]> = Unsigned<Extract<Signed, { readonly kind: Kind }>>;

/**
 * An answer to a gate. Who answered is recorded by Segno: the user that this process runs as, by the name that the project
 * gives them. `by` is recorded beside it, as a claim (`claimed_by`).
 */
export type GateAnswer = OfKind<"gate">;
export type QuestionsAnswer = OfKind<"questions">;
export type DialogAnswer = OfKind<"dialog">;
export type Answer = GateAnswer | QuestionsAnswer | DialogAnswer;

/** Asks a person. `undefined`: no one can be asked, the run pauses. The signal aborts when another person answered. */
export type Asker = (question: Question, signal: AbortSignal, progress?: Progress) => Promise<Answer | undefined>;

// Time as a run is given it.

/** A clock; replace it in tests so that waits and retries take no time. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back after so many milliseconds, unless it is called off. Made from `sleep` when left out. */
  after?(ms: number, run: () => void): () => void;
}
