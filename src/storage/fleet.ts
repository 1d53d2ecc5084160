// A store that many machines share: runs are placed there, and whichever worker is free drives them.
import type { Priority } from "../language/schema/names.ts";
import type { IndexedStatus, RunFacts } from "./run-index.ts";
import type { Exported, Lines } from "./run-log.ts";
import type { RunMeta, SecretInputs } from "./run-reader.ts";
import type { Heard } from "./shared-state.ts";

/** A line of runs in the queue: lanes of one priority take turns. */
export interface QueueLane {
  readonly key: string;
  readonly priority?: Priority;
}

/** Files of a run's scenario are pinned under this number, which no drive has. */
export const SCENARIO_PINS = 0;

export interface CellWish {
  readonly name?: string;
  /** What decides it instead of the run's id: runs of one key are together. */
  readonly key?: string;
  /** The run's id was decided before: the run, or its firing, may be in a cell already. */
  readonly isKnownBefore: boolean;
}

/** A drive as it is placed: what was asked, and the files it is made from. */
export interface PlacedDrive {
  /** Plain data, which the driver understands. */
  readonly request: unknown;
  /** Files of the drive; those of the drive before when left out. */
  readonly pins?: { readonly drive: number; readonly sources: ReadonlyMap<string, string> };
  /** Files of the scenario that answers for the world, for all drives of the run: `SCENARIO_PINS`. */
  readonly scenario?: ReadonlyMap<string, string>;
  readonly secrets?: SecretInputs;
  /** That of the drive before when left out. */
  readonly lane?: QueueLane;
  /** Of a new run on a fleet that is made of cells. */
  readonly cell?: CellWish;
  /** Whether the request itself holds values of secret inputs. */
  readonly holdsSecrets?: boolean;
  /** It is the run of a firing: it begins only while the firing is claimed by this process, and both are written together. */
  readonly isOfFiring?: boolean;
  /** Places of dead letters that it tries again: they are claimed by the drive then, and no more by this process. */
  readonly retries?: readonly string[];
}

export type DriveLeaving = "waiting" | "handed over";

export type MissingRequirement =
  | { readonly kind: "key" }
  /** `missing`: what the run names and nothing brings there, in sentences; none when they cannot be read here. */
  | { readonly kind: "plugins"; readonly missing: readonly string[]; readonly folder: string | null };

/** A worker that left a run to the others, which none of them has taken up since. */
export interface LeftBy {
  /** Its id, as in `WorkerView`. */
  readonly worker: string;
  readonly requirement: MissingRequirement;
}

export interface FleetStanding {
  /** Of the drives that were placed, the last one. */
  readonly drive: number;
  readonly isEnded: boolean;
  readonly status: IndexedStatus;
  /** Why a worker refused the drive: a result. */
  readonly refused: unknown;
  readonly isDriven: boolean;
  /** Until when it waits and needs no worker: ISO time. */
  readonly wakesAt: string | null;
}

export interface WorkerView {
  readonly id: string;
  /** The cell that it serves, on a fleet that is made of cells. */
  readonly cell?: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly isDraining: boolean;
  /** Since when it is there, by the database's clock: ISO time. null: it does not say. */
  readonly since: string | null;
  readonly silentMs: number;
  readonly concurrency: number | null;
  readonly runs: readonly string[];
  /** Ids of the keys that it reads with; absent when it does not say. */
  readonly keys?: readonly string[];
}

export interface QueueView {
  /** Runs that wait for a worker: also those that no worker which is there can take, and those whose worker was lost. */
  readonly waiting: number;
  /** Runs that wait for their own time. */
  readonly delayed: number;
  readonly oldestMs: number | null;
}

/** Files of a run on this machine, for other programs: as a drive here would have written them. */
export interface RunFiles {
  readonly folder: string;
  exportEvents(lines: Lines, length: number): void;
  appendErrors(line: string): void;
  exported(lastSeq: number): Exported;
  close(): void;
}

export interface AnswerTo {
  readonly answer: unknown;
  readonly question?: unknown;
}

export interface Fleet {
  filesOf(runId: string): RunFiles;
  /** A new run and its first drive: both, or neither. */
  begin(run: Pick<RunMeta, "runId" | "workflow" | "file" | "durability"> & RunFacts, drive: PlacedDrive): Promise<void>;
  /** A further drive of a run; false when one is underway. */
  place(runId: string, drive: PlacedDrive): Promise<boolean>;
  /** The same, with what was asked of the last one, which was called off before it began. */
  placeAgain(runId: string): Promise<boolean>;
  /** Records an answer, and places the next drive when no worker drives the run. */
  answer(runId: string, key: string, given: AnswerTo, drive: PlacedDrive): Promise<Heard>;
  standing(runId: string): Promise<FleetStanding | undefined>;
  /** By run: the workers that left it to the others. */
  leftBy(runIds: readonly string[]): Promise<ReadonlyMap<string, readonly LeftBy[]>>;
  /** Asks the run's driver to stop; a run that waits is taken out of the queue. Throws before that when the run cannot be opened here. */
  stop(runId: string): Promise<"asked" | "taken out" | "not underway">;
  /** The id of the key that whatever is placed from here is sealed with. */
  readonly sealedWith: string | null;
  /** Ids of all keys that are here: that one first. */
  readonly keysHere: readonly string[];
  /** How many runs need a key, by its id: something of them is sealed with it. */
  keysInUse(): Promise<ReadonlyMap<string, number>>;
  /** How many runs were placed without a key. */
  runsInClear(): Promise<number>;
  /** Whether what is placed from here is for this fleet: its runs and workers know a key that is here, or have none either. */
  takesFromHere(): Promise<boolean>;
  workers(): Promise<readonly WorkerView[]>;
  queue(): Promise<QueueView>;
  /** Asks a worker to hand over what it drives and to leave; gives the ids of those that were meant. */
  drain(idOrPrefix: string): Promise<readonly string[]>;
}
