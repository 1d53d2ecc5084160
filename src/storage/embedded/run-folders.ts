// Where runs live: a folder each below `runs/`, named by its id.
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ignoringErrors } from "../files/guarded.ts";
import { makeFolder, PRIVATE_FILE } from "../private-files.ts";
import { StoreError } from "../store-error.ts";

const SAFE = /^[A-Za-z0-9][\w-]*$/;

export const runsFolder = (home: string): string => join(home, "runs");

/** Of runs on their way out: see prune.ts. */
export const prunedFolder = (home: string): string => join(runsFolder(home), ".pruned");

/** An id comes from the command line too, so it may not lead out of the folder. */
export function runFolder(home: string, runId: string): string {
  if (!SAFE.test(runId)) throw new StoreError("missing", `${JSON.stringify(runId)} is not the id of a run.`, home);
  return join(runsFolder(home), runId);
}

/** Below something that is no folder there is nothing. */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw error;
  }
}

export function makeRunFolder(home: string, runId: string): string {
  const folder = runFolder(home, runId);
  makeHome(home);
  makeFolder(runsFolder(home));
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** A run of a fleet that was followed from here has its copies in such a folder, and no journal. */
const isCopyOnly = (folder: string): boolean =>
  !existsSync(join(folder, "journal.db")) && existsSync(join(folder, "events.jsonl"));

/** Ids of all folders with runs of this home, newest first. */
export function foldersOfRuns(home: string): string[] {
  if (!isThere(runsFolder(home))) return [];
  const entries = readdirSync(runsFolder(home), { withFileTypes: true });
  const ids = entries.filter((entry) => entry.isDirectory() && SAFE.test(entry.name)).map((entry) => entry.name);
  return ids
    .filter((id) => !isCopyOnly(join(runsFolder(home), id)))
    .sort()
    .reverse();
}

// The folder that all runs of a home are in. One that Segno makes itself says to git that nothing in it is to be committed:
// a project's home lies in its repository, and runs hold what they were given.

/** A folder that already exists belongs to the user, who decides what git sees of it: it gets no `.gitignore`. */
export function makeHome(home: string): void {
  const isThere = existsSync(home);
  makeFolder(home);
  if (isThere) return;
  // Another process was quicker, or the disk is full, which the next write says better.
  ignoringErrors(() => writeFileSync(join(home, ".gitignore"), "*\n", { flag: "wx", mode: PRIVATE_FILE }));
}
