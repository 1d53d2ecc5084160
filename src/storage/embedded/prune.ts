// Removes runs. The folder of a run is first moved away in one step, so that half a folder is never taken for a run;
// then its row is deleted, then its files. If the process is killed in between, the next one finds the moved folders
// and deletes their rows.
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { guarded, ignoringErrors } from "../files/guarded.ts";
import type { ProcessIdentity } from "../liveness.ts";
import { makeFolder } from "../private-files.ts";
import { LeaseHeld, StoreError } from "../store-error.ts";
import { withTables } from "./database-file.ts";
import { driveJournal, freeLease, inJournal, journalPath, leaseHolder, type Taking } from "./journal.ts";
import { isThere, prunedFolder, runFolder, runsFolder } from "./run-folders.ts";
import type { StateDb } from "./state-db.ts";

/**
 * Calls `remove` while this process holds the run's lease; false when another process drives the run. `driver`: as the index
 * has it.
 */
function whileOurs(folder: string, taking: Taking, driver: ProcessIdentity | null, remove: () => void): boolean {
  let taken: string | undefined;
  try {
    const journal = driveJournal(folder, taking);
    taken = journal.lease.token;
    // Closed first: some systems cannot move an open file. A process that comes meanwhile finds the lease taken.
    journal.connection.close();
  } catch (error) {
    if (error instanceof LeaseHeld) return false;
    // There may be no room to write down that it is ours now; who drives it can be read all the same.
    if (isDriven(folder, taking, driver)) return false;
  }
  try {
    remove();
  } catch (error) {
    const token = taken;
    // Else it is said to be ours by a process that is about to end.
    if (token !== undefined)
      ignoringErrors(() =>
        withTables(journalPath(folder), { busyMs: GIVE_BACK_MS }, (connection) => freeLease(connection, token)),
      );
    throw error;
  }
  return true;
}

const GIVE_BACK_MS = 1000;

/** Who reads, writes or takes a run has its log open; a run that ended well has none. It is moved unopened and checked again there: no log can be made then. */
const isAtRest = (folder: string): boolean => !existsSync(`${journalPath(folder)}-wal`);

/** Where the journal does not say it, the index does. */
function isDriven(folder: string, { observe }: Taking, driver: ProcessIdentity | null): boolean {
  try {
    const holder = inJournal(folder, leaseHolder);
    return holder !== undefined && observe(holder).is !== "dead";
  } catch {
    return driver !== null && observe({ ...driver, since: "", heard: "" }).is !== "dead";
  }
}

/** Most have a few files and nothing below them: asked for by name that is twice as quick. */
function removeFolder(folder: string): void {
  try {
    for (const name of readdirSync(folder)) unlinkSync(join(folder, name));
    rmdirSync(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
  }
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Failed = (runId: string, message: string) => void;

/** Runs per batch. Between batches other work of this process has its turn. */
const AT_A_TIME = 200;

export async function removeRuns(
  home: string,
  state: StateDb,
  takingOf: (runId: string) => Taking,
  runIds: readonly string[],
  failed: Failed = () => {},
): Promise<readonly string[]> {
  const all: string[] = [];
  for (let from = 0; from < runIds.length; from += AT_A_TIME) {
    if (from > 0) await turn();
    const gone: string[] = [];
    for (const runId of runIds.slice(from, from + AT_A_TIME)) {
      try {
        const folder = folderOf(home, runId);
        if (!folder || guarded(`removing run ${runId}`, folder, () => moveAway(home, state, folder, takingOf, runId)))
          gone.push(runId);
      } catch (error) {
        failed(runId, said(error));
      }
    }
    try {
      removeRows(state, gone);
      clearMoved(home);
    } catch {
      // Where the disk is full, the files have to go before the rows can.
      clearMoved(home);
      removeRows(state, gone);
    }
    all.push(...gone);
  }
  // Also what an earlier time could not remove.
  clearMoved(home, failed);
  // It was never there, or is not empty: another process moves runs there.
  ignoringErrors(() => rmdirSync(prunedFolder(home)));
  for (const name of namesIn(runsFolder(home)))
    if (name.startsWith(MOVED_BY_0_2)) removeFolder(join(runsFolder(home), name));
  return all;
}

function removeRows(state: StateDb, runIds: readonly string[]): void {
  state.atOnce(() => {
    state.runs.removeAll(runIds);
    for (const runId of runIds) state.gates.forget(runId);
  });
}

/** Release 0.2 left folders of this name when it was killed. */
const MOVED_BY_0_2 = ".pruned-";

/** Moved while its lease was taken for that, and never moved back. */
const TAKEN = ".taken";

const namesIn = (folder: string): readonly string[] => (isThere(folder) ? readdirSync(folder) : []);

/** Not one that its mover finds to be in use, and moves back. */
const movedForGood = (home: string): readonly string[] =>
  namesIn(prunedFolder(home)).filter((name) => name.endsWith(TAKEN) || isAtRest(join(prunedFolder(home), name)));

function clearMoved(home: string, failed: Failed = () => {}): void {
  const moved = prunedFolder(home);
  for (const name of movedForGood(home))
    try {
      removeFolder(join(moved, name));
    } catch (error) {
      failed(runIdOf(name), said(error));
    }
}

const runIdOf = (name: string): string => (name.endsWith(TAKEN) ? name.slice(0, -TAKEN.length) : name);

/** Rows of runs that a process had moved away before it was killed, or is moving away right now. */
export function removeRowsOfMoved(home: string, state: StateDb): void {
  const gone = movedForGood(home)
    .map(runIdOf)
    .filter((runId) => folderOf(home, runId) === undefined && state.runs.get(runId) !== undefined);
  // Who may only read, or finds the disk full, leaves it to others.
  if (gone.length > 0) ignoringErrors(() => removeRows(state, gone));
}

function moveAway(
  home: string,
  state: StateDb,
  folder: string,
  takingOf: (runId: string) => Taking,
  runId: string,
): boolean {
  const indexed = state.runs.get(runId);
  const driver = indexed?.driver ?? null;
  const away = join(prunedFolder(home), runId);
  makeFolder(prunedFolder(home));
  if (indexed && driver === null && indexed.status !== "running" && isAtRest(folder)) {
    renameSync(folder, away);
    if (isAtRest(away)) return true;
    renameSync(away, folder);
  }
  return whileOurs(folder, takingOf(runId), driver, () => renameSync(folder, `${away}${TAKEN}`));
}

/** Nothing when it has no folder: its row goes all the same, also one that can be of no run. */
function folderOf(home: string, runId: string): string | undefined {
  try {
    const folder = runFolder(home, runId);
    return isThere(folder) ? folder : undefined;
  } catch (error) {
    if (error instanceof StoreError && error.code === "missing") return undefined;
    throw error;
  }
}
