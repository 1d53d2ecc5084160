// What can go wrong with the store, said to people: what, where, why, what next.
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { type Fault, faultOf } from "../sqlite/failure.ts";

export type StoreFault = Fault | "newer" | "ambiguous";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreFault;
  /** The file or folder it is about. */
  readonly path: string;

  constructor(code: StoreFault, message: string, path: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
  }
}

/** Another process drives the run. */
export class LeaseHeld extends Error {
  override readonly name = "LeaseHeld";
  readonly runId: string;
  readonly host: string;
  readonly pid: number;
  /** ISO time at which that process took the run. */
  readonly since: string;

  constructor(runId: string, holder: { readonly host: string; readonly pid: number; readonly since: string }) {
    super(
      `Run ${runId} is being driven by process ${holder.pid} on ${holder.host}, since ${holder.since}. Wait for it to end, or stop it.`,
    );
    this.runId = runId;
    this.host = holder.host;
    this.pid = holder.pid;
    this.since = holder.since;
  }
}

/** This process drove the run until another one, thinking it dead, took it over. Nothing more may be written. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
  readonly runId: string;

  constructor(runId: string) {
    super(
      `Run ${runId} was taken over by another process while this one did not answer. It goes on there; this process stops.`,
    );
    this.runId = runId;
  }
}

const NEXT: Readonly<Record<Fault, string>> = {
  readonly:
    "it cannot be written. Give yourself the right to write there, or choose another place with --home or SEGNO_HOME.",
  full: "the disk is full. Free some space, then go on.",
  locked: "another process holds it locked. Try again when that process is done.",
  corrupt: "it is damaged, or no file of Segno's.",
  io: "it cannot be read or written.",
  missing: "it is not there.",
};

/** SQLite says only that it cannot open a file; the file system knows why. */
function nearer(fault: Fault, path: string): { readonly fault: Fault; readonly next: string } {
  if (fault !== "io") return { fault, next: NEXT[fault] };
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
      return { fault, next: "there is a folder where a file should be. Move it away." };
    accessSync(dirname(path), constants.W_OK);
    return { fault, next: NEXT.io };
  } catch (error) {
    const found = faultOf(error);
    return { fault: found, next: NEXT[found] };
  }
}

/** Says a driver's or the file system's error to people. `doing` completes "While …". */
export function storeError(error: unknown, doing: string, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const { fault, next } = nearer(faultOf(error), path);
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(fault, `While ${doing}: ${path}: ${next} (${reason})`, path, error);
}

/** Runs `work`, and says what goes wrong in it to people. */
export function guarded<Result>(doing: string, path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof LeaseHeld || error instanceof LeaseLost) throw error;
    throw storeError(error, doing, path);
  }
}
