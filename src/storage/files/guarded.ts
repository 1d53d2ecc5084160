// Errors of SQLite and of the file system, said to people.
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { type Fault, faultOf } from "../sqlite/connection.ts";
import { LeaseHeld, LeaseLost, StoreError } from "../store-error.ts";

const NEXT: Readonly<Record<Fault, string>> = {
  readonly: "it cannot be written. Give yourself the right to write there, or keep runs in another place.",
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

/** What was read is no JSON, or JSON of another shape, or nested without end. A driver's own errors have a code. */
const isMisread = (error: unknown): boolean =>
  (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) && !("code" in error);

/** Says a driver's or the file system's error to people. `doing` completes "While …". */
export function storeError(error: unknown, doing: string, path: string): StoreError {
  if (error instanceof StoreError) return error;
  if (isMisread(error))
    return new StoreError(
      "corrupt",
      `While ${doing}: ${path}: it was damaged or edited: what it holds is not what Segno wrote.`,
      path,
      error,
    );
  const { fault, next } = nearer(faultOf(error), path);
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(fault, `While ${doing}: ${path}: ${next} (${reason})`, path, error);
}

/** For what need not succeed. */
export function ignoringErrors(work: () => void): void {
  try {
    work();
  } catch {
    // The caller says why nothing is lost.
  }
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
