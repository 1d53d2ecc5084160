// What can go wrong with a store, said to people: what, where, why, what next. Every host throws these.
import { DriveStopped } from "../base/errors/leave-process.ts";

export type StoreFault =
  | "readonly"
  | "full"
  | "locked"
  | "corrupt"
  | "io"
  | "missing"
  | "newer"
  | "ambiguous"
  | "too_big"
  /** A package that only this store needs is not installed. */
  | "missing_package"
  /** A key is missing, or another one. */
  | "sealed";

export class StoreError extends DriveStopped {
  override readonly name = "StoreError";

  /** `path`: the file, folder or database it is about. */
  constructor(
    readonly code: StoreFault,
    message: string,
    readonly path: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

export class AmbiguousRun extends StoreError {
  constructor(
    part: string,
    readonly candidates: readonly string[],
    path: string,
  ) {
    const named = candidates.slice(0, MOST_NAMED);
    const more = candidates.length - named.length;
    super(
      "ambiguous",
      `Several runs fit ${part}: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}. Give more of the id.`,
      path,
    );
  }
}

const MOST_NAMED = 10;

/** What a fleet's database holds is not what was written there: no index that is made anew mends that. */
export class ChangedInDatabase extends StoreError {
  /** The run that can be gone on with from the step before it; absent where the message says what to do. */
  readonly runId: string | undefined;
  /** The key of the visit that it belongs to, where that is known. */
  readonly key: string | undefined;

  constructor(
    message: string,
    path: string,
    { cause, runId, key }: { readonly cause?: unknown; readonly runId?: string; readonly key?: string } = {},
  ) {
    super("corrupt", message, path, cause);
    this.runId = runId;
    this.key = key;
  }
}

/** It is sealed with a key that is not here; another machine may have it. */
export const isUnreadable = (problem: unknown): problem is StoreError =>
  problem instanceof StoreError && problem.code === "sealed";

interface Holder {
  readonly host: string;
  readonly pid: number;
  /** ISO times: when it took the run, and its last sign of life, by its own clock. */
  readonly since: string;
  readonly heard?: string;
}

export class LeaseHeld extends Error {
  override readonly name = "LeaseHeld";
  readonly host: string;
  readonly pid: number;
  readonly since: string;
  readonly heard: string | undefined;

  /** `watchMs`: set when that process cannot be seen from here: it is dead once its sign of life stays the same for so long. */
  constructor(
    readonly runId: string,
    { host, pid, since, heard }: Holder,
    readonly watchMs?: number,
  ) {
    super(`Run ${runId} is being driven by process ${pid} on ${host}, since ${since}. Wait for it to end, or stop it.`);
    this.host = host;
    this.pid = pid;
    this.since = since;
    this.heard = heard;
  }
}

/** This process drove the run until another one, thinking it dead, took it over. Nothing more may be written. */
export class LeaseLost extends DriveStopped {
  override readonly name = "LeaseLost";

  /** `holder`: the process that has it now; nothing when that process is done with it already. */
  constructor(
    readonly runId: string,
    holder?: Holder,
  ) {
    const by = holder
      ? `process ${holder.pid} on ${holder.host}, at ${holder.since}`
      : "another process, which is done with it";
    super(
      `Run ${runId} was taken over by ${by}: this process had not answered for too long, or a person took the run over. This process records nothing more and stops.`,
    );
  }
}
