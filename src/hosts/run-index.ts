// The index of runs: which there are and how each ended, so that lists open no journal.
import type { Awaitable } from "../engine/awaitable.ts";
import type { RunStatus } from "../events/state/state.ts";
import type { ProcessIdentity } from "./liveness.ts";

/** `queued`: a fleet has it, and no worker has begun it yet. */
export type IndexedStatus = RunStatus | "queued";

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
}

export interface RunFilter {
  readonly status?: IndexedStatus | readonly IndexedStatus[];
  readonly workflow?: string;
  readonly file?: string;
  /** Only ids below this one: the next part of a long list. */
  readonly before?: string;
  readonly limit?: number;
}

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
  put(run: IndexedRun): void | Promise<void>;
  remove(runId: string): void | Promise<void>;
}
