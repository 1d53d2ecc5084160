// A worker as its starter sees it: a store whose drives it takes, and when to leave.
import type { DriveLeaving, Fleet, MissingRequirement } from "../../../storage/fleet.ts";
import type { RunLog } from "../../../storage/run-log.ts";
import type { RunStore } from "../../../storage/store.ts";
import type { StoreFault } from "../../../storage/store-error.ts";
import type { SpreadGround, TakenShare } from "../spread/spreading.ts";

/** A drive that the queue gave, taken: no other process writes the run. */
export interface TakenDrive {
  readonly log: RunLog;
  readonly request: unknown;
  readonly isBegun: boolean;
  /** Why that worker left it, when it did. */
  readonly left?: DriveLeaving;
  /** Where it may hand out branches of its groups. */
  readonly spreading: SpreadGround;
}

export interface ShareProblem {
  readonly message: string;
  /** Of a store that cannot be used, or not as it is. */
  readonly code?: StoreFault;
}

/** A share of a spread group that the queue gave, taken: no other process writes its stream. */
export interface TakenBranch {
  readonly log: RunLog;
  readonly request: unknown;
  readonly share: TakenShare;
  /** The run's journal up to this event leads to the group. */
  readonly afterSeq: number;
}

/** What a worker may do with runs beyond what everybody may. */
export interface WorkerFleet extends Fleet {
  /** The run goes on in another drive with the same request. `requirement`: what this worker does not have, so that it leaves the run to others. */
  next(
    runId: string,
    drive: number,
    how?: {
      readonly delaySeconds?: number;
      readonly because?: DriveLeaving;
      readonly requirement?: MissingRequirement;
    },
  ): Promise<boolean>;
  /** The drive ends with a refusal: the followers of the run get it. */
  refuse(runId: string, drive: number, result: unknown): Promise<void>;
  /** An answer to one of these questions that came while the run was about to pause is heard by the next drive. */
  afterPause(runId: string, keys: readonly string[], request: unknown): Promise<void>;
}

export interface WorkerStore extends RunStore {
  readonly fleet: WorkerFleet;
  /** Nothing when it is not the run's last drive any more, or has ended. */
  openDrive(runId: string, drive: number): Promise<TakenDrive | undefined>;
  /** Nothing when it has ended, or was given to another. */
  openBranch(runId: string, stream: string, attempt: number): Promise<TakenBranch | undefined>;
  nextBranch(runId: string, stream: string, attempt: number, delaySeconds: number): Promise<void>;
  /** The share cannot be driven: the drive that handed it out stops with that problem. */
  failBranch(runId: string, stream: string, attempt: number, problem: ShareProblem): Promise<void>;
}

export interface WorkerOptions {
  readonly home: string;
  readonly version: string;
  readonly sealKey?: string;
  readonly name: string;
  readonly concurrency: number;
  readonly beatMs: number;
  readonly silenceMs: number;
  /** How often the queue is asked; left out: as seldom as notices of it allow. */
  readonly pollMs?: number;
  /** The journal's protocol, when it is another than this program's own. */
  readonly protocol?: string;
  /** Drives; never throws. */
  readonly drive: (store: WorkerStore, runId: string, drive: number) => Promise<void>;
  /** The same for a share of a spread group. */
  readonly driveBranch: (store: WorkerStore, runId: string, stream: string, attempt: number) => Promise<void>;
  /** What is asked of a drive that goes on after a pause, from what was asked of the one before. */
  readonly goingOn: (request: unknown) => unknown;
  readonly driven: () => ReadonlyMap<string, () => void>;
  /** The others gave this worker up: nothing of it is written any more. */
  readonly givenUp: () => void;
  readonly drained: () => void;
}

export interface StartedWorker {
  readonly name: string;
  /** The database, without its password. */
  readonly shown: string;
  readonly isSealed: boolean;
  /** What the worker does beside its drives goes through its own store: it lives and dies with it. */
  readonly store: RunStore;
  stopTaking(): Promise<void>;
  leave(): Promise<void>;
}

export interface WorkerHost {
  start(url: string, options: WorkerOptions): Promise<StartedWorker>;
  /** The run is another's now, or the database is away: the claim stays, and others take it. */
  isInfrastructureError(problem: unknown): boolean;
}
