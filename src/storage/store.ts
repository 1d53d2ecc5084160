// Where runs are kept. Services get a store and never ask which host is behind it.
import type { Awaitable } from "../base/awaitable.ts";
import type { RunStatus } from "../base/events/state/state.ts";
import type { Fleet } from "./fleet.ts";
import type { FiguresFilter, FiguresPart, IndexedRun, RunFacts, RunFilter, RunRecord } from "./run-index.ts";
import type { RunLog } from "./run-log.ts";
import type { Durability, RunReader } from "./run-reader.ts";
import type { SharedState } from "./shared-state.ts";

export interface NewRun extends Omit<RunFacts, "figures"> {
  readonly runId: string;
  readonly workflow: string;
  readonly file: string;
  readonly durability: Durability;
}

export interface StoredRun extends IndexedRun {
  /** Of a store that is made of cells: where the run is. */
  readonly cell?: string;
  /** Indexed as running, but its process seems to be gone (its heartbeats were not watched): it can be resumed. */
  readonly crashed: boolean;
  /** Of a run with a driver: whether that is a process which this one can see, and send signals to. */
  readonly isInReach?: boolean;
  /**
   * Of a fleet: it waits for a worker, or until its own time (ISO) and needs none until then. What is asked of it is sealed
   * with the key of this id.
   */
  readonly waits?: { readonly sealedWith: string | null; readonly until: string | null };
}

/** How a run ended, as its driver sealed it. */
export interface SealedEnd {
  readonly workflow: string;
  readonly status: RunStatus;
  readonly kind: string | null;
  /** ISO time. */
  readonly ended: string | null;
  /** The number of the newest event then. */
  readonly seq: number;
}

export interface RunsByFile {
  files(): Awaitable<readonly string[]>;
  /** The id of the nth newest, from 1 on; nothing when there are not so many. */
  nthNewest(n: number, file: string, workflow?: string): Awaitable<string | undefined>;
}

/** What one of several cells answered. */
export interface OfCell<Answer> {
  readonly cell: string;
  readonly answer: Answer;
}

export interface NewestFilter extends RunFilter {
  readonly resumable?: boolean;
}

export interface OpenOptions {
  /** Also from a process that may be alive, which then records nothing more: the caller asked for it. */
  readonly takeOver?: boolean;
}

export interface RunStore {
  /** Of a store that many machines share: runs are placed there, and workers drive them. */
  readonly fleet?: Fleet;
  /** What could not be read and is in no list that was given, in sentences. */
  readonly leftOut?: ReadonlySet<string>;
  /** Of cells: those that did not answer when they were last asked. What they have is in no list that was given. */
  readonly cellsAway?: readonly string[];
  /** The cell of a run that was looked at; nothing where there are no cells. */
  cellOf?(runId: string): string | undefined;
  /** The time that everybody goes by who uses the store, in milliseconds; absent: this machine's. */
  now?(): number;
  /** What runs share. Opened on first use. */
  readonly state: SharedState;
  /** Under which environment values are digested for hashes: one for each store, made when first needed. */
  readonly hashKey: string;
  /** The same for a run that is open, where stores are made of others and each has its own. */
  hashKeyOf?(runId: string): string | undefined;
  createRun(run: NewRun): Awaitable<RunLog>;
  /**
   * Removes what is left of a run whose making was cut off, so that it can be made again under the same id. False for one
   * that was made: whatever happened to it since, it stays. Absent where a run is made whole or not at all.
   */
  clearUnmade?(runId: string): Awaitable<boolean>;
  /**
   * For driving. Throws `LeaseHeld` while a living process drives the run; of one that cannot be seen from here that is
   * known only after a while, in which this is called again.
   */
  openRun(runId: string, options?: OpenOptions): Awaitable<RunLog>;
  /** For reading, at any time. */
  readRun(runId: string): Awaitable<RunReader>;
  /**
   * The run of that id, or whose id begins or ends so, with at least six characters; nothing when there is none. Throws
   * `AmbiguousRun` when there are several.
   */
  findRun(idOrPart: string): Awaitable<string | undefined>;
  /** Newest first. */
  runs(filter?: RunFilter): Awaitable<readonly StoredRun[]>;
  /** Where it can be known without reading all runs: which files there are runs of, and the nth newest run of each. */
  readonly byFile?: RunsByFile;
  /** Of a store that is made of cells: asks each that answers. */
  eachCell?<Answer>(ask: (store: RunStore) => Awaitable<Answer>): Promise<readonly OfCell<Answer>[]>;
  /** One run of the index; nothing when it is not there. */
  summary(runId: string): Awaitable<StoredRun | undefined>;
  /** Those of these runs that are there, in any order. */
  summaries(runIds: readonly string[]): Awaitable<readonly StoredRun[]>;
  /**
   * Where the index is open to who has no key: the end of a run that its driver sealed last; nothing when an older Segno
   * drove it. Absent where the index is believed.
   */
  readonly sealedEnd?: (runId: string) => Promise<SealedEnd | undefined>;
  /** Of ended runs, the newest first. Absent where a store is made of cells: each has its own. */
  figures?(filter: FiguresFilter): Awaitable<FiguresPart>;
  newestRun(filter?: NewestFilter): Awaitable<StoredRun | undefined>;
  /**
   * Removes these runs with all that belongs to them, but none that is driven or placed, and gives the ids of those that
   * are gone. `failed` is called with one that cannot be removed; the others go all the same.
   */
  removeRuns(
    runIds: readonly string[],
    failed?: (runId: string, message: string) => void,
  ): Awaitable<readonly string[]>;
  /** Ids of runs for which secrets are kept. */
  runsWithSecrets(): Awaitable<readonly string[]>;
  close(): void | Promise<void>;
  /** Looking after the files of a store, if it is made of files. */
  upkeep?(): Promise<StoreUpkeep>;
}

export interface StoreCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  /** What would help: to remove old runs, or to make the index anew from the folders. */
  readonly remedy?: "prune" | "reindex";
}

export interface StoreCensus {
  readonly runs: number;
  /** Of the runs' folders; null when there are too many files to count in a moment. */
  readonly bytes: number | null;
  /** Files that an older Segno wrote: each is migrated when it is next opened for writing. */
  readonly older: readonly string[];
  /** The formats that this Segno writes. */
  readonly formats: { readonly state: number; readonly journal: number };
}

/** What the events of a run say about it. */
export type Summarize = (reader: RunReader) => Awaitable<Omit<RunRecord, "runId" | "workflow" | "file" | "started">>;

export interface Reindexed {
  readonly indexed: readonly string[];
  /** Rows without a journal. */
  readonly removed: readonly string[];
  readonly unreadable: readonly { readonly runId: string; readonly message: string }[];
  /** Where the damaged state.db is now. Its dead letters, breakers and cache are still in it. */
  readonly movedTo?: string;
}

export interface StoreUpkeep {
  /** Whether the store can be used. It looks, and changes nothing. */
  check(now: number): readonly StoreCheck[];
  census(): StoreCensus;
  /** Makes the index of runs anew from the runs themselves. */
  reindex(summarize: Summarize): Promise<Reindexed>;
}
