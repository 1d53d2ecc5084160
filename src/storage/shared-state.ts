// What runs share: the index, questions and answers, dead letters, breakers, limits, cached outcomes, places, running steps.
import type { Awaitable } from "../base/awaitable.ts";
import type { Firings } from "./firings.ts";
import type { Liveness, ProcessName } from "./liveness.ts";
import type { RunIndex } from "./run-index.ts";

export interface SharedState {
  readonly runs: RunIndex;
  readonly breakers: NamedStates;
  /** Limits on calls to models. */
  readonly limits: NamedStates;
  readonly letters: Letters;
  readonly cache: OutcomeTable;
  readonly gates: Gates;
  readonly slots: Slots;
  readonly running: RunningSteps;
  readonly liveness: Liveness;
  /** What triggers have fired; absent where a store keeps none. */
  readonly firings?: Firings;
}

export interface OpenQuestion {
  readonly runId: string;
  /** The gate's path key. */
  readonly key: string;
  readonly question: unknown;
  /** ISO time. */
  readonly presented: string;
}

/** What became of an answer. */
export type Heard = "ok" | "late" | "changed" | "unknown";

/** Questions that wait for a person, and the answers. The first answer counts; later ones get `late`. */
export interface Gates {
  /**
   * Asks. Asking again, as a resume does, opens the question anew but keeps an answer that has come meanwhile; an answer
   * to another question is none to this one.
   */
  present(runId: string, key: string, question: unknown): void | Promise<void>;
  /** `question`: what it is an answer to; when something else is asked by now, the answer does not count. */
  answer(runId: string, key: string, answer: unknown, question?: unknown): Awaitable<Heard>;
  /** An answer that no drive has taken yet, in a box; nothing while there is none. Cheap enough to ask a few times a second. */
  get(runId: string, key: string): Awaitable<{ readonly answer: unknown } | undefined>;
  /** Those of these keys of a run that have an answer. */
  answered(runId: string, keys: readonly string[]): Awaitable<readonly string[]>;
  /** The answer that this question would get if it were asked now. */
  answerTo(runId: string, key: string, question: unknown): Awaitable<{ readonly answer: unknown } | undefined>;
  /**
   * Closes a question for the drive that asks it, unless it was answered meanwhile: then that answer counts, and is
   * returned. Atomic: no later answer counts. `answer`: the one that was given to the drive itself, if any.
   */
  settle(
    runId: string,
    key: string,
    question: unknown,
    answer?: unknown,
  ): Awaitable<{ readonly answer: unknown } | undefined>;
  /** The answer that counts, whether a drive has taken it yet or not: for those who come second. */
  counted(runId: string, key: string): Awaitable<{ readonly answer: unknown } | undefined>;
  /** Withdraws the unanswered questions of a run that has ended. */
  withdraw(runId: string): void | Promise<void>;
  /** Runs that have a question without an answer. */
  asking(): Awaitable<readonly string[]>;
  /** Questions without an answer, oldest first. */
  pending(runId?: string): Awaitable<readonly OpenQuestion[]>;
  /** Forgets questions and answers of a run: one, or all of them. */
  forget(runId: string, key?: string): void | Promise<void>;
}

/** The run of letters that a program without workflows keeps. */
export const NO_RUN = "";

/** Letters are kept for so long after they were last seen. */
export const LETTER_RETENTION_MS = 30 * 86_400_000;

export type LetterStatus = "open" | "retrying" | "resolved" | "dropped";

/** What a person did with a letter. A type, not an interface: it is kept as plain data. */
export type LetterAct = {
  readonly what: "retried" | "dropped";
  readonly by: string;
  /** ISO time. */
  readonly at: string;
};

export interface Letter {
  readonly id: string;
  readonly runId: string;
  /** Path key of the step or item in its run: a second failure there is the same letter, counted. */
  readonly place: string;
  readonly workflow: string;
  readonly node: string;
  readonly kind: string;
  readonly status: LetterStatus;
  /** ISO times. */
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly count: number;
  /** Item, inputs, envelope, attempts, hash of the file …: known to those who write and retry letters; and `acts`. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type NewLetter = Pick<Letter, "id" | "runId" | "place" | "workflow" | "node" | "kind" | "body">;

export interface LetterFilter {
  /** A kind, `prefix.*`, or `*`. */
  readonly kind?: string;
  readonly workflow?: string;
  readonly runId?: string;
  /** Milliseconds since 1970: last seen then or later. */
  readonly since?: number;
  readonly status?: LetterStatus | readonly LetterStatus[];
  readonly limit?: number;
}

/** What lists need of a letter before they read it. */
export type LetterHead = Pick<Letter, "id" | "runId" | "workflow" | "kind" | "lastSeen" | "count">;

/** Dead letters: steps and items that failed for good, with everything needed to try again later. */
export interface Letters {
  /** Keeps a letter and gives its id: that of the earlier letter when the same place failed before. */
  put(letter: NewLetter): Awaitable<string>;
  get(id: string): Awaitable<Letter | undefined>;
  /** Newest first. A claim of a dead process counts as open. */
  list(filter?: LetterFilter): Awaitable<readonly Letter[]>;
  /** Letters that are open or being retried, without their bodies, newest first. */
  unsettled(): Awaitable<readonly LetterHead[]>;
  /** Takes those of the letters that are open for a retry, each for one process only, and gives the ids of what it got. */
  claim(ids: readonly string[], owner?: ProcessName): Awaitable<readonly string[]>;
  /**
   * Gives the letters as they are then; unknown ones are left out. `act`: whose doing that is, kept with each letter behind
   * what was done with it before.
   */
  setStatus(ids: readonly string[], status: LetterStatus, act?: LetterAct): Awaitable<readonly Letter[]>;
  /** Removes letters last seen before that time, and says how many. Those being retried stay. */
  expire(olderThan: number): Awaitable<number>;
}

/** States by name: of circuit breakers, of limits. What a state is, only its owner knows. */
export interface NamedStates<State = unknown> {
  get(name: string): Awaitable<State | undefined>;
  /** Changes a state in one transaction. Returning the same object writes nothing. */
  update(name: string, change: (state: State | undefined) => State): Awaitable<State>;
  list(): Awaitable<readonly { readonly name: string; readonly state: State }[]>;
  /** Forgets a state: a breaker is closed then. False when there is none of that name. */
  reset(name: string): Awaitable<boolean>;
}

/** Outcomes of steps with `cache:`, shared by all runs and found by hash. */
export interface OutcomeTable {
  /** What is kept under the hash, in a box: a kept `null` differs from nothing. */
  get(hash: string): Awaitable<{ readonly value: unknown } | undefined>;
  /** Keeps a value, for `ttl` milliseconds or for good. */
  put(hash: string, value: unknown, options?: { readonly ttl?: number }): void | Promise<void>;
}

export interface Slot {
  readonly scope: string;
  readonly slot: number;
  /** Who took it: others may have it by now, when they took that process for dead. */
  readonly owner: ProcessName;
}

/** Places for a limited number of steps at a time, over all runs. Two can never take the last one. */
export interface Slots {
  /** Takes a place, or nothing when all `max` are taken by the living. */
  acquire(scope: string, max: number, owner?: ProcessName): Awaitable<Slot | undefined>;
  /** Frees a place, if its owner still has it. */
  release(slot: Slot): void | Promise<void>;
  /** How many places of a scope are taken. */
  taken(scope: string): Awaitable<number>;
}

export interface StepElsewhere {
  /** Other runs in which a living process runs the step. */
  readonly runningIn: readonly string[];
  /** Whether the step's last execution in any run failed. */
  readonly lastFailed: boolean;
}

/** Which steps run in which run right now, and how each went last: what the `agent_availability` policy asks. */
export interface RunningSteps {
  /**
   * Enters an execution of a step, unless another run has it: then nothing is entered. `key` is the path key of the
   * attempt, since one run may run a step several times at once.
   */
  begin(step: string, runId: string, key: string, owner?: ProcessName): Awaitable<StepElsewhere>;
  /** Without `ok` it never ran: how the step went last stays as it was. */
  end(step: string, runId: string, key: string, ok?: boolean): void | Promise<void>;
  /** Forgets what a run left behind, as the next drive does first. */
  clear(runId: string): void | Promise<void>;
}
