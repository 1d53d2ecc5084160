// The index of runs: which there are and how each ended, so that lists open no journal. And their ids: 26 letters and digits that
// sort by time (a ULID), without the letters that are read as digits.
import { randomBytes } from "node:crypto";
import type { Awaitable } from "../base/awaitable.ts";
import type { RunFigures } from "../base/events/state/run-figures.ts";
import type { RunStatus } from "../base/events/state/state.ts";
import { LEAST_OF_RUN_ID } from "../base/events/typeable.ts";
import type { ProcessIdentity } from "./liveness.ts";
import { AmbiguousRun, StoreError } from "./store-error.ts";

/** `queued`: a fleet has it, and no worker has begun it yet. */
export type IndexedStatus = RunStatus | "queued";

/** Statuses of runs that have figures. */
export const ENDED: readonly IndexedStatus[] = ["completed", "degraded", "terminated", "failed", "cancelled"];

export interface IndexedRun {
  readonly runId: string;
  readonly workflow: string;
  readonly file: string;
  readonly status: IndexedStatus;
  /** ISO times. */
  readonly started: string;
  readonly ended: string | null;
  /** The process of its last drive. */
  readonly driver: ProcessIdentity | null;
  readonly failingKind: string | null;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly resumable: boolean;
  /** What the run is called; null: it has no name, or one that cannot be read here. */
  readonly name: string | null;
  /** The eval that the run is a row of. */
  readonly evalId: string | null;
}

/** What a run's journal says of it beside how it stands. */
export interface RunFacts {
  readonly name?: string | null;
  readonly evalId?: string | null;
  /** A scenario answers for the world. */
  readonly isRehearsal?: boolean;
  /** Without secret ones. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Of a run that has ended. */
  readonly figures?: RunFigures;
}

/** All that a run's row is made of. */
export type RunRecord = Omit<IndexedRun, "name" | "evalId"> & RunFacts;

export interface RunFilter {
  readonly status?: IndexedStatus | readonly IndexedStatus[];
  readonly workflow?: string;
  readonly file?: string;
  /** Inputs as texts, by name: runs that were given all of them. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Rows of evals too: they are listed with their eval, and not among other runs. */
  readonly withEvals?: boolean;
  /** Only ids below this one: the next part of a long list. */
  readonly before?: string;
  readonly limit?: number;
}

/** Ended runs, for figures over many of them. */
export interface FiguresFilter extends Omit<RunFilter, "withEvals"> {
  /** Only runs that began at or after this time, and before that one: epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
  /** Rows of evals alone; else neither these nor other rehearsals. */
  readonly ofEvals?: boolean;
}

/** The newest runs that a filter leaves, by workflow. */
export interface FiguresPart {
  readonly workflows: readonly {
    readonly workflow: string;
    readonly file: string;
    /** JSON: a list of `RunFigures`, and of `EndedRow` for runs of Segno 0.3, whose figures were not kept. */
    readonly figures: string;
  }[];
  readonly runs: number;
  /** `before` for the runs after these; undefined: there are none. */
  readonly next: string | undefined;
}

/** Of a run without figures what its row has of its end. */
export type EndedRow = readonly [
  status: string,
  exitCode: number | null,
  durationMs: number | null,
  costUsd: number | null,
  failingKind: string | null,
];

export interface IndexChanges {
  /** For the next time. */
  readonly cursor: string;
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Too much has changed, or too long ago, to list it: read the whole index again. */
  readonly isLost: boolean;
}

/** One row for each run, so that lists and "the newest that can be resumed" open no journal. */
export interface RunIndex {
  get(runId: string): Awaitable<IndexedRun | undefined>;
  /** Newest first. */
  list(filter?: RunFilter): Awaitable<readonly IndexedRun[]>;
  /** Without a cursor: nothing but the cursor, from which on changes are listed. A change may be listed more than once. */
  changes(cursor?: string): Awaitable<IndexChanges>;
  /** For rebuilding: writes the whole row. */
  put(run: RunRecord): void | Promise<void>;
  remove(runId: string): void | Promise<void>;
}

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const FORMAT = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** 10 characters of time, 16 of chance. */
export function newRunId(now: number = Date.now(), random: Uint8Array = randomBytes(10)): string {
  let time = "";
  for (let rest = now, digit = 0; digit < 10; digit += 1) {
    time = DIGITS[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  let bits = 0n;
  for (const byte of random.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte);
  let chance = "";
  for (let digit = 0; digit < 16; digit += 1) {
    chance = DIGITS[Number(bits & 31n)] + chance;
    bits >>= 5n;
  }
  return time + chance;
}

export const isRunId = (text: string): boolean => FORMAT.test(text);

// A run by the beginning or the end of its id.

/** What ids are looked up by; nothing for a text that is no part of one. */
export function partOfId(text: string): string | undefined {
  const part = text.toUpperCase();
  return /^[0-9A-Z]+$/.test(part) ? part : undefined;
}

/** Whether an id begins or ends with it. */
export const isOfId =
  (part: string) =>
  (runId: string): boolean =>
    runId.startsWith(part) || runId.endsWith(part);

/** The one run that was meant, of those that fit; `place`: where runs are kept. */
export function onlyRun(part: string, fitting: readonly string[], place: string): string | undefined {
  if (fitting.includes(part)) return part;
  if (fitting.length > 0 && part.length < LEAST_OF_RUN_ID)
    throw new StoreError(
      "ambiguous",
      `${part} is too short to name a run. Give at least ${LEAST_OF_RUN_ID} characters, from the beginning or the end of its id.`,
      place,
    );
  if (fitting.length > 1) throw new AmbiguousRun(part, fitting, place);
  return fitting[0];
}
