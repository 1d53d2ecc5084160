// What calls of the library can be given: where they stand, what drives a run, who hears its events and who answers.

import type { Result, RunSummary, RunSummaryStatus } from "../../base/results/result.ts";
import type { Progress, Question, Answer as Signed, Unsigned } from "../../engine/people/ask.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Definition } from "../../services/own-steps/definition.ts";
import type { OwnStep } from "../../services/own-steps/own-step.ts";
import type { EventData } from "./from-schemas.ts";

export interface Store {
  /** The folder; of a fleet, where files of its runs are on this machine. */
  readonly home: string;
  /** Of a fleet: the address of its Postgres. */
  readonly fleet?: string;
  /** Newest first. */
  runs(filter?: {
    readonly status?: RunSummaryStatus;
    readonly workflow?: string;
    /** Inputs as texts, by name. */
    readonly inputs?: Readonly<Record<string, string>>;
    readonly limit?: number;
  }): Promise<readonly RunSummary[]>;
  /** The result of a run as it stands. */
  result(run: string): Promise<Result>;
  /** Its events; with `follow` until it ends. */
  events(
    run: string,
    options?: { readonly after?: number; readonly follow?: boolean; readonly signal?: AbortSignal },
  ): AsyncIterable<RunEvent>;
  /** Stops a run that another process drives, or closes one that waits; it stays resumable. */
  cancel(run: string): Promise<Result>;
}

/** The folder of a store, the address of a Postgres, or what `openStore` gave. */
export type StoreAddress = string | Pick<Store, "home" | "fleet">;

/** Where a call about runs stands. */
export interface StoreOptions {
  /** What paths are shown relative to; the process's own folder when left out. */
  readonly cwd?: string;
  /** The environment whose secrets are hidden; the process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the runs are kept; the command line's store when left out. */
  readonly store?: Pick<Store, "home" | "fleet">;
}

/** Where a call stands, and what it brings along. */
export interface Options {
  /** What relative paths are relative to; the process's own when left out. */
  readonly cwd?: string;
  /** The environment that files and scripts see; the process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Own step types. */
  readonly steps?: readonly OwnStep[];
  /** Own providers. */
  readonly providers?: readonly Provider[];
  /** Workflows that are defined in code, for what finds them by a run or a scenario; those that are run are known. */
  readonly workflows?: readonly Definition[];
}

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
  /** How many steps may run. */
  readonly maxIterations?: number;
  /** Whom agents ask, whatever the file says. */
  readonly provider?: string;
  /** Take the first option of every gate. */
  readonly skipGates?: boolean;
  /** Of `run`: a scenario, whose scripted answers stand in for the outside. */
  readonly scenario?: string;
  /** Of `run`: what the run is called; what the file says when left out. */
  readonly name?: string;
  /** Of `run`: `power` has each step on disk before the next begins. */
  readonly durability?: "process" | "power";
  /** Of `run`, on a fleet: whether it is taken before others that wait; what the file says when left out. */
  readonly priority?: "high" | "normal" | "low";
}

export interface ResumeOptions extends Omit<RunOptions, "scenario" | "durability" | "priority" | "name"> {
  /** How often a step may be visited: how often a loop may go round. */
  readonly maxVisits?: number;
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

/** A clock; replace it in tests so that waits and retries take no time. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back after so many milliseconds, unless it is called off. Made from `sleep` when left out. */
  after?(ms: number, run: () => void): () => void;
}

export type { EventData };

/** The names of all events; docs/events.md tells when each comes. */
export type EventType = keyof EventData;

/**
 * One type of event. Events are redacted: they may be shown.
 *
 * @example
 * const tell = ({ data }: EventOf<"agent_failed">) => console.error(data.agent_name, data.message);
 */
export interface EventOf<Type extends EventType> {
  /** Counts up from 1 within the run. */
  readonly seq: number;
  /** When, as ISO 8601. */
  readonly ts: string;
  readonly type: Type;
  readonly run_id: string;
  /** The sub-workflows that it happened in, outermost first. */
  readonly path: readonly string[];
  readonly data: EventData[Type];
}

/**
 * Something that happened in a run: `type` says what, and then `data` is known.
 *
 * @example
 * const on = (event: RunEvent) => {
 *   if (event.type === "retry_scheduled") console.log(event.data.node, event.data.delay_seconds);
 * };
 */
export type RunEvent = { [Type in EventType]: EventOf<Type> }[EventType];

/**
 * Hears events: all of them with one function, or each type with its own.
 *
 * @example
 * await run("release.yaml", {
 *   on: {
 *     agent_failed: ({ data }) => console.error(data.agent_name, data.kind),
 *     gate_presented: ({ data }) => console.log(data.prompt),
 *   },
 * });
 */
export type Listener =
  | ((event: RunEvent) => unknown)
  | { readonly [Type in EventType]?: (event: EventOf<Type>) => unknown };
