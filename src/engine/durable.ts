// The port between interpreter and world. Every call has a stable key; whatever happened under a key before is
// recalled, not repeated. The interpreter has no clock, no dice and no environment: times and dice come back with outcomes.
import type { Emit, RunEvent } from "../base/events/registry.ts";
import type { Recall } from "../base/events/visits/recall.ts";
import type { SkippableWait } from "../steps/caller.ts";
import type { Fiber } from "./fiber.ts";
import type { Answer, Asking, Question } from "./people/ask.ts";

/** A value with the time it took, and a random number for the caller. */
export interface Timed<Value> {
  readonly value: Value;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** From 0 to 1. */
  readonly dice: number;
}

export interface BranchOptions<Branch, End> {
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Runs the group: while all of its branches wait, it waits too. Left out: no branch waits for an answer from elsewhere. */
  readonly fiber: Fiber | undefined;
  /** Whether this end stops the rest: branches that run are aborted, those that wait never start. */
  stopsOthers(end: End): boolean;
  /** Of branches that may run elsewhere too, where there is an elsewhere. */
  readonly spread?: SpreadGroup<Branch, End>;
}

/** Runs one branch. `ranElsewhere`: another worker ran and recorded it; its end is read, and nothing runs again. */
export type BranchBody<Branch, End> = (
  branch: Branch,
  signal: AbortSignal,
  fiber?: Fiber,
  ranElsewhere?: boolean,
) => Promise<End>;

/** What another worker needs to know to run some of a group's branches. */
export interface SpreadGroup<Branch, End> {
  /** The visit of the group, in its present round: the same for everybody who comes to it. */
  readonly key: string;
  idOf(branch: Branch): string;
  /** Whether an earlier drive recorded its end, which still holds: to read it takes no work. */
  isRecorded(branch: Branch): boolean;
  /** Informed of what a branch recorded elsewhere: what it spent counts here. */
  heard(event: RunEvent): void;
  /** The branch whose end the event tells. */
  endedBy(event: RunEvent): string | undefined;
  /** Whether an event tells this end: one that none does has to be handed back, as plain data. */
  isTold(end: End): boolean;
  /** Whether this end stops the rest whatever became of the others. */
  stopsAtOnce(end: End): boolean;
}

/**
 * `pure`: the attempt touches nothing outside, so where writing takes a while it may run before what was noted is written.
 * `container`: it does nothing itself, and lasts as long as the steps inside it.
 */
export type StepKind = "pure" | "container" | "work";

export interface Durable {
  readonly runId: string;
  /** What earlier drives of this run recorded. */
  readonly recall: Recall;
  /** Reports an event. It is written, with all others noted since, before the next step, wait or question begins. */
  readonly note: Emit;
  /** Writes what was noted: one transaction. A promise comes back only where writing takes a while. */
  commit(): void | Promise<void>;
  /**
   * Checks that the run is still this process's: returns nothing when it surely is, else a promise, which rejects when it
   * is not. Called before an attempt begins, and again right before it touches anything outside.
   */
  readonly assertLease: () => undefined | Promise<void>;
  /** Writes what was noted, then runs one attempt. Gives a promise only if something had to be waited for. */
  step<Value>(run: () => Value | Promise<Value>, kind?: StepKind): Timed<Value> | Promise<Timed<Value>>;
  /**
   * Where large texts need not stay in memory: writes what was noted, and gives the object with its large texts read back
   * from the journal whenever they are looked at; itself where they are few.
   */
  shelve?<Holder extends object>(holder: Holder): Holder | Promise<Holder>;
  /** Runs something and times it; writes nothing. */
  timed<Value>(run: () => Value | Promise<Value>): Timed<Value> | Promise<Timed<Value>>;
  /** Writes what was noted, then waits until that moment, or until the signal aborts. */
  sleepUntil(epochMs: number, signal: AbortSignal, options?: SleepOptions): Promise<void>;
  /** Begins a wait of a step. Nothing where no one can end it before its time. */
  beginWait?(): SkippableWait | undefined;
  /** The fiber of the root workflow. */
  readonly fiber: Fiber;
  /** Asks a person. `undefined`: there is no one to ask, and no branch of the run has anything else to do. */
  ask(path: readonly string[], question: Question, signal: AbortSignal, asking?: Asking): Promise<Answer | undefined>;
  /** Runs bodies in a sliding pool. An entry is `undefined` when its branch never started. */
  branches<Branch, End>(
    branches: readonly Branch[],
    body: BranchBody<Branch, End>,
    options: BranchOptions<Branch, End>,
  ): Promise<readonly (End | undefined)[]>;
  /** A signal that also aborts, with `TimeLimit` as its reason, once so many seconds of driving have passed. */
  timeLimit(
    seconds: number | undefined,
    parent: AbortSignal,
    options?: UncountedTime,
  ): { readonly signal: AbortSignal; dispose(): void };
}

export interface SleepOptions {
  /** Milliseconds: the wait is never longer, whatever the clock says. */
  readonly atMostMs?: number;
  /** No time limit of a workflow counts the wait, as with questions. */
  readonly besideLimits?: boolean;
  /** A step waits in its attempt: it does nothing meanwhile. */
  readonly inStep?: boolean;
}

/** Time that a time limit does not count. */
export interface UncountedTime {
  /** While this fiber waits. */
  readonly fiber?: Fiber | undefined;
  /** While a person is asked, whoever asks. */
  readonly asking?: boolean;
}

/** Why a signal aborted when a time limit passed. */
export class TimeLimit extends Error {
  constructor(readonly seconds: number) {
    super(`the time limit of ${seconds} s passed`);
    this.name = "TimeLimit";
  }
}
