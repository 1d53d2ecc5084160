// What triggers have fired: one record for each firing, made before its run, with the run's id in it. After a crash the
// next process finds the record, and starts the run or finds it.
import type { Awaitable } from "../base/awaitable.ts";
import type { ProcessName } from "./liveness.ts";

/** `fired`: its run is to be started, or goes on. `waits`: its run waits for a person, or goes on after an answer. The others are over. */
export type FiringStatus = "fired" | "waits" | "ended" | "skipped" | "failed";

export type FiringEnd = Exclude<FiringStatus, "fired" | "waits">;

export interface FiringMark {
  readonly name: string;
  /** Until when it counts, in epoch milliseconds; as long as the firing is kept when left out. */
  readonly until?: number;
}

export interface NewFiring {
  /** The id of the run that it makes, decided before there is one. */
  readonly runId: string;
  /** The trigger, with the project that it belongs to. */
  readonly trigger: string;
  /** On a fleet that is made of cells: where it and its run are kept; where the trigger belongs when left out. */
  readonly cell?: string;
  /** When, in epoch milliseconds, by the clock of the process that fires. */
  readonly at: number;
  /** What makes it the same as another: a scheduled moment, a delivery. Empty: it is like no other. */
  readonly marks: readonly FiringMark[];
  /** Only so many of a group go on at a time; the others wait. */
  readonly group?: { readonly key: string; readonly limit: number };
  /** Skip it when an earlier one of the trigger has not ended, for this reason. */
  readonly skipIfBusy?: string;
  readonly skipped?: string;
  /** Why it can make no run: it is recorded as failed. */
  readonly refused?: string;
  /** How many firings led to it, one run after the other. */
  readonly depth: number;
  /** What its run is started with: known to those who fire and start. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Firing extends Pick<NewFiring, "runId" | "trigger" | "depth" | "body" | "group"> {
  readonly status: FiringStatus;
  /** On a fleet: its run is in the queue, and goes on even if the process that placed it is gone. */
  readonly isPlaced: boolean;
  /** ISO times. */
  readonly firedAt: string;
  readonly endedAt: string | null;
  /** Why it was skipped or failed; how its run ended. */
  readonly reason: string | null;
}

export interface FiringFilter {
  readonly trigger?: string;
  readonly status?: FiringStatus;
  readonly limit?: number;
  /** Newest first when left out. */
  readonly order?: "newest" | "oldest";
}

export interface TriggerState {
  readonly paused: boolean;
  /** Who paused it and when, in epoch milliseconds; where that is known. */
  readonly pausing?: { readonly by: string; readonly at: number };
  /** Up to when its moments, or ended runs, were looked at, in epoch milliseconds. */
  readonly seenUntil: number | null;
  /** Why the process that last checked the trigger could not fire it. */
  readonly hindered?: string;
}

/** A fleet that is made of cells: each trigger belongs to one of them, which keeps all that is recorded of it. */
export interface TriggerCells {
  readonly names: readonly string[];
  /** The cell of a trigger that says none. */
  ofName(trigger: string): string;
  /** The firings and triggers of that cell alone; nothing when it does not answer within two seconds. */
  within(cell: string): Promise<Firings | undefined>;
}

export interface Firings {
  readonly cells?: TriggerCells;
  /** Records a firing, unless one with one of its marks is there: gives that one then. */
  record(firing: NewFiring): Awaitable<{ readonly firing: Firing; readonly isNew: boolean }>;
  get(runId: string): Awaitable<Firing | undefined>;
  list(filter?: FiringFilter): Awaitable<readonly Firing[]>;
  /** Takes a firing whose run is to be started or resumed: no live process has it, and its group has room. */
  claim(runId: string, owner?: ProcessName): Awaitable<boolean>;
  /** Gives it back: it goes on elsewhere, or later. */
  release(runId: string): void | Promise<void>;
  /** Its run has paused. It holds its place in its group, and is busy for those that come after. */
  wait(runId: string): void | Promise<void>;
  /** Its run has gone on after a pause and no process drives it any more: it is to be started again. */
  goOn(runId: string): void | Promise<void>;
  settle(runId: string, status: FiringEnd, reason?: string): void | Promise<void>;
  state(trigger: string): Awaitable<TriggerState>;
  /** Of several at once, and `see` of several: where each is a way over the network. Those that were never seen are left out. */
  readonly together?: {
    states(triggers: readonly string[]): Promise<ReadonlyMap<string, TriggerState>>;
    see(triggers: readonly string[], until: number): Promise<void>;
  };
  setPaused(trigger: string, paused: boolean, now: number, by?: string): void | Promise<void>;
  /** Records that this process cannot record its firings, and why, until a process can. */
  hinder?(trigger: string, why: string): Promise<void>;
  /** Never backwards. */
  see(trigger: string, until: number): void | Promise<void>;
  /**
   * A clock that was fast has looked after it up to a time that has not come: it is seen until `until` at most, and what was
   * recorded after `now` and made no run is forgotten, so that it can fire when its time comes. What made a run stays.
   */
  takeBack(trigger: string, until: number, now: number): void | Promise<void>;
  /** Forgets what was over before that time, and marks that count no more at `now`: by the clock of who set them. */
  expire(before: number, now: number): Awaitable<number>;
}
