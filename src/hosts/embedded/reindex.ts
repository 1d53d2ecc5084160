// Rebuilds the index of runs from their folders, which are the truth. A damaged index is removed first, and a damaged state.db
// is moved away.
import { existsSync, renameSync, rmSync } from "node:fs";
import { guarded } from "../files/guarded.ts";
import type { IndexedRun } from "../run-index.ts";
import type { Reindexed, Summarize } from "../store.ts";
import { StoreError } from "../store-error.ts";
import { openReader } from "./journal-reader.ts";
import { Observer } from "./observer.ts";
import { thisProcess } from "./process-identity.ts";
import { readThrough } from "./read-through.ts";
import { foldersOfRuns, runFolder } from "./run-folders.ts";
import { INDEX_MIGRATIONS, indexPath } from "./state/index-db.ts";
import { openStateDb, type StateDb, statePath } from "./state/state-db.ts";

function openOrReplace(home: string, now: () => number): { readonly state: StateDb; readonly movedTo?: string } {
  const path = statePath(home);
  removeDamagedIndex(home);
  const options = { now, observer: new Observer({ here: thisProcess(), now, elapsed: () => performance.now() }) };
  try {
    return { state: openStateDb(home, options) };
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "corrupt") throw error;
    const movedTo = `${path}.damaged-${now()}`;
    guarded("moving a damaged state.db away", path, () => {
      renameSync(path, movedTo);
      // A journal left beside it belongs to it, and would be played back into the new one.
      if (existsSync(`${path}-journal`)) renameSync(`${path}-journal`, `${movedTo}-journal`);
    });
    return { state: openStateDb(home, options), movedTo };
  }
}

/** All that it holds is made anew. */
function removeDamagedIndex(home: string): void {
  const path = indexPath(home);
  if (!existsSync(path)) return;
  try {
    readThrough(path, INDEX_MIGRATIONS);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "corrupt") throw error;
    guarded("removing a damaged index of runs", path, () => {
      for (const file of [path, `${path}-journal`]) rmSync(file, { force: true });
    });
  }
}

async function summary(home: string, runId: string, summarize: Summarize): Promise<IndexedRun> {
  const reader = openReader(runFolder(home, runId), runId);
  try {
    const { workflow, file, created } = reader.meta;
    return { runId, workflow, file, started: created, ...(await summarize(reader)) };
  } finally {
    reader.close();
  }
}

export async function reindex(home: string, summarize: Summarize, now: () => number = Date.now): Promise<Reindexed> {
  const { state, movedTo } = openOrReplace(home, now);
  try {
    const folders = foldersOfRuns(home);
    const indexed: string[] = [];
    const unreadable: { runId: string; message: string }[] = [];
    for (const runId of folders) {
      try {
        state.runs.put(await summary(home, runId, summarize));
        indexed.push(runId);
      } catch (error) {
        unreadable.push({ runId, message: error instanceof Error ? error.message : String(error) });
      }
    }
    const there = new Set(folders);
    const removed = state.runs.ids().filter((runId) => !there.has(runId));
    for (const runId of removed) state.runs.remove(runId);
    return { indexed, removed, unreadable, ...(movedTo ? { movedTo } : {}) };
  } finally {
    state.close();
  }
}
