// Removes runs, also from a full disk: first what takes the room, then the rows that speak of it. A run goes in one
// step (its folder is renamed) so that no half of it is ever taken for a run.
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { guarded } from "../files/guarded.ts";
import type { ProcessIdentity } from "../liveness.ts";
import { LeaseHeld, StoreError } from "../store-error.ts";
import { type DrivenJournal, driveJournal, readJournal } from "./journal.ts";
import { freeLease, leaseHolder, type Taking } from "./lease.ts";
import { isThere, PRUNED, runFolder, runsFolder } from "./run-folders.ts";
import type { StateDb } from "./state/state-db.ts";

interface Old {
  readonly folder: string;
  readonly taking: Taking;
  /** As the index has it. */
  readonly driver: ProcessIdentity | null;
}

/** Does `remove` while the run is ours, unless somebody drives it; says whether it did. */
function whileOurs({ folder, taking, driver }: Old, remove: () => void): boolean {
  let journal: DrivenJournal | undefined;
  try {
    journal = driveJournal(folder, taking);
  } catch (error) {
    if (error instanceof LeaseHeld) return false;
    // There may be no room to write down that it is ours now; who drives it can be read all the same.
    if (isDriven(folder, taking, driver)) return false;
  }
  try {
    remove();
  } finally {
    try {
      if (journal) freeLease(journal.connection, journal.lease.token);
    } catch {
      // It is removed, or said to be ours by a process that is about to end.
    }
    journal?.connection.close();
  }
  return true;
}

/** Where the journal does not say it, the index does. */
function isDriven(folder: string, { observe }: Taking, driver: ProcessIdentity | null): boolean {
  try {
    const connection = readJournal(folder);
    try {
      const holder = leaseHolder(connection);
      return holder !== undefined && observe(holder).is !== "dead";
    } finally {
      connection.close();
    }
  } catch {
    return driver !== null && observe({ ...driver, since: "", heard: "" }).is !== "dead";
  }
}

/** Also what an earlier time could not remove. */
function sweep(home: string, failed: (name: string, error: unknown) => void): void {
  for (const name of isThere(runsFolder(home)) ? readdirSync(runsFolder(home)) : []) {
    if (!name.startsWith(PRUNED)) continue;
    try {
      rmSync(join(runsFolder(home), name), { recursive: true, force: true });
    } catch (error) {
      failed(name.slice(PRUNED.length), error);
    }
  }
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export interface Removing {
  readonly runIds: readonly string[];
  readonly failed?: (runId: string, message: string) => void;
}

export function removeRuns(
  home: string,
  state: StateDb,
  takingOf: (runId: string) => Taking,
  { runIds, failed = () => {} }: Removing,
): string[] {
  const gone: string[] = [];
  for (const runId of runIds) {
    try {
      const folder = folderOf(home, runId);
      const driver = state.runs.get(runId)?.driver ?? null;
      const remove = (): void => renameSync(folder ?? "", join(runsFolder(home), `${PRUNED}${runId}`));
      const isRemoved =
        !folder ||
        guarded(`removing run ${runId}`, folder, () => whileOurs({ folder, taking: takingOf(runId), driver }, remove));
      if (isRemoved) gone.push(runId);
    } catch (error) {
      failed(runId, said(error));
    }
  }
  sweep(home, (runId, error) => failed(runId, said(error)));
  // A row that stays because there is still no room speaks of a folder that is not there: the next time takes it out.
  state.atOnce(() => {
    for (const runId of gone) {
      state.runs.remove(runId);
      state.gates.forget(runId);
    }
  });
  return gone;
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
