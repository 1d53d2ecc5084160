// The port between interpreter and world. Every call has a stable key; whatever happened under a key before is
// recalled, not repeated. The interpreter has no clock, no dice and no environment: times and dice come back with outcomes.

import type { Recall } from "../events/recall.ts";
import type { Emit } from "../events/registry.ts";
import type { Answer, Asking, Question } from "./people/ask.ts";

/** A value with the time it took, and a throw of the dice for whoever needs one. */
export interface Timed<Value> {
  readonly value: Value;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** From 0 to 1. */
  readonly dice: number;
}

export interface BranchOptions<End> {
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Whether this end stops the rest: branches that run are aborted, those that wait never start. */
  stopsOthers(end: End): boolean;
}

export interface Durable {
  readonly runId: string;
  /** What earlier drives of this run recorded. */
  readonly recall: Recall;
  /** Reports an event. It is written, with all others noted since, before the next step, wait or question begins. */
  readonly note: Emit;
  /** Writes what was noted: one transaction. A promise comes back only where writing takes a while. */
  commit(): void | Promise<void>;
  /** Writes what was noted, then runs one attempt. No promise comes back where nobody had to wait. */
  step<Value>(run: () => Value | Promise<Value>): Timed<Value> | Promise<Timed<Value>>;
  /** For an attempt that waited before its work begins: fails when another process has the run by now. */
  stillOurs?(): undefined | Promise<void>;
  /** Runs something and times it; writes nothing. */
  timed<Value>(run: () => Value | Promise<Value>): Timed<Value> | Promise<Timed<Value>>;
  /** Writes what was noted, then waits until that moment, but never longer than `atMostMs`, or until the signal aborts. */
  sleepUntil(epochMs: number, signal: AbortSignal, atMostMs?: number): Promise<void>;
  /** Asks whoever can be asked. `undefined`: nobody is there. */
  ask(path: readonly string[], question: Question, signal: AbortSignal, asking?: Asking): Promise<Answer | undefined>;
  /** Runs bodies in a sliding pool. An entry is `undefined` when its branch never started. */
  branches<Branch, End>(
    branches: readonly Branch[],
    body: (branch: Branch, signal: AbortSignal) => Promise<End>,
    options: BranchOptions<End>,
  ): Promise<readonly (End | undefined)[]>;
  /** A signal that also aborts, with `TimeLimit` as its reason, once so many seconds of driving have passed. */
  timeLimit(seconds: number | undefined, parent: AbortSignal): { readonly signal: AbortSignal; dispose(): void };
}

/** Why a signal aborted when a time limit passed. */
export class TimeLimit extends Error {
  constructor(readonly seconds: number) {
    super(`the time limit of ${seconds} s passed`);
    this.name = "TimeLimit";
  }
}
