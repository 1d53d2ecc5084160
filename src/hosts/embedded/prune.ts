// Removes old runs. A run goes in one step (its folder is renamed) so that no half of it is ever taken for a run.
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../liveness.ts";
import type { PruneOptions } from "../store.ts";
import { LeaseHeld } from "../store-error.ts";
import { guarded } from "./guarded.ts";
import { type DrivenJournal, driveJournal } from "./journal.ts";
import { freeLease } from "./lease.ts";
import { isThere, PRUNED, runFolder, runsFolder } from "./run-folders.ts";
import type { StateDb } from "./state/state-db.ts";

const KEEP = 200;

/** Does `remove` while the run is ours, unless somebody drives it; says whether it did. */
function whileOurs(folder: string, who: ProcessIdentity, now: number, remove: () => void): boolean {
  let journal: DrivenJournal | undefined;
  try {
    journal = driveJournal(folder, who, now);
  } catch (error) {
    // A damaged journal is driven by nobody.
    if (error instanceof LeaseHeld) return false;
  }
  try {
    remove();
  } finally {
    if (journal) freeLease(journal.connection, journal.lease.token);
    journal?.connection.close();
  }
  return true;
}

function sweep(home: string): void {
  for (const name of readdirSync(runsFolder(home)))
    if (name.startsWith(PRUNED)) rmSync(join(runsFolder(home), name), { recursive: true, force: true });
}

export function removeOldRuns(
  home: string,
  state: StateDb,
  who: ProcessIdentity,
  now: number,
  options: PruneOptions = {},
): string[] {
  const { keep = KEEP, before = Number.POSITIVE_INFINITY, status, workflow, dryRun = false } = options;
  const old = new Set(state.runs.ids().slice(keep));
  // A run that waits for a person is not old: somebody may answer tomorrow, or try its letters again.
  const awaited = new Set(state.letters.list({ status: ["open", "retrying"] }).map(({ runId }) => runId));
  const candidates = state.runs
    .list({ status, workflow })
    .filter(
      (run) =>
        old.has(run.runId) && run.status !== "paused" && !awaited.has(run.runId) && Date.parse(run.started) < before,
    );
  const pruned: string[] = [];
  for (const { runId } of candidates) {
    const folder = runFolder(home, runId);
    const remove = (): void => {
      if (!dryRun) renameSync(folder, join(runsFolder(home), `${PRUNED}${runId}`));
    };
    if (isThere(folder) && !guarded(`removing run ${runId}`, folder, () => whileOurs(folder, who, now, remove)))
      continue;
    pruned.push(runId);
    if (dryRun) continue;
    state.runs.remove(runId);
    state.gates.forget(runId);
  }
  if (!dryRun && isThere(runsFolder(home))) guarded("removing old runs", runsFolder(home), () => sweep(home));
  return pruned;
}
