// What `segno doctor` does with the store: it checks it and counts what it holds, which changes nothing, and makes the index
// anew from the folders of runs, which are the truth.
import { accessSync, constants, existsSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { guarded } from "../files/guarded.ts";
import type { RunRecord } from "../run-index.ts";
import { sqliteDriver } from "../sqlite/open.ts";
import type { Reindexed, StoreCensus, StoreCheck, Summarize } from "../store.ts";
import { StoreError } from "../store-error.ts";
import { readThrough, versionOf, withTables } from "./database-file.ts";
import { INDEX_MIGRATIONS, indexPath } from "./index-db.ts";
import { JOURNAL_MIGRATIONS, journalPath } from "./journal.ts";
import { openReader } from "./journal-reader.ts";
import { Observer, seemsAlive, thisProcess } from "./liveness.ts";
import { foldersOfRuns, runFolder, runsFolder } from "./run-folders.ts";
import { openStateDb, STATE_MIGRATIONS, type StateDb, statePath } from "./state-db.ts";

const MOST_FILES = 20_000;
/** Journals that are looked at; all of them could take minutes. */
const NEWEST = 20;

export function censusOf(home: string): StoreCensus {
  const ids = foldersOfRuns(home);
  const older = [
    ...(isOlder(statePath(home), STATE_MIGRATIONS.length) ? ["state.db"] : []),
    ...ids.slice(0, NEWEST).filter((id) => isOlder(journalPath(runFolder(home, id)), JOURNAL_MIGRATIONS.length)),
  ];
  const formats = { state: STATE_MIGRATIONS.length, journal: JOURNAL_MIGRATIONS.length };
  return { runs: ids.length, bytes: sizeOf(runsFolder(home)), older, formats };
}

function isOlder(path: string, known: number): boolean {
  if (!existsSync(path)) return false;
  const found = guarded("looking at its format", path, () => withTables(path, { readOnly: true }, versionOf));
  return found > 0 && found < known;
}

function sizeOf(folder: string): number | null {
  let [bytes, files] = [0, 0];
  const queue = existsSync(folder) ? [folder] : [];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) queue.push(path);
      else bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (++files > MOST_FILES) return null;
    }
  }
  return bytes;
}

function openOrReplace(home: string, now: () => number): { readonly state: StateDb; readonly movedTo?: string } {
  const path = statePath(home);
  removeDamagedIndex(home);
  const open = () => openStateDb(home, now, new Observer(thisProcess(), now, () => performance.now()));
  try {
    return { state: open() };
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "corrupt") throw error;
    const movedTo = `${path}.damaged-${now()}`;
    guarded("moving a damaged state.db away", path, () => {
      renameSync(path, movedTo);
      // A journal left beside it belongs to it, and would be played back into the new one.
      if (existsSync(`${path}-journal`)) renameSync(`${path}-journal`, `${movedTo}-journal`);
    });
    return { state: open(), movedTo };
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

async function summary(home: string, runId: string, summarize: Summarize): Promise<RunRecord> {
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
    return { indexed, removed, unreadable, movedTo };
  } finally {
    state.close();
  }
}

const LOW_ON_SPACE = 100 * 1024 * 1024;

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MB`;

const check = (name: string, look: () => Omit<StoreCheck, "name">): StoreCheck => {
  try {
    return { name, ...look() };
  } catch (error) {
    return { name, ok: false, message: error instanceof Error ? error.message : String(error) };
  }
};

/** The home, or the nearest folder above that exists. */
const nearestFolder = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));

function writable(home: string) {
  const folder = nearestFolder(home);
  return guarded("looking whether the store can be written", home, () => {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return {
      ok: true,
      message: folder === home ? `${home} can be written` : `${home} is not there yet; the first run makes it`,
    };
  });
}

function space(home: string): Omit<StoreCheck, "name"> {
  const { bavail, bsize } = statfsSync(nearestFolder(home));
  const free = bavail * bsize;
  return free < LOW_ON_SPACE
    ? { ok: false, message: `only ${megabytes(free)} free`, remedy: "prune" }
    : { ok: true, message: `${megabytes(free)} free` };
}

function sharedState(home: string) {
  const path = statePath(home);
  if (!existsSync(path)) return { ok: true, message: "there is no state.db yet" };
  readThrough(path, STATE_MIGRATIONS);
  return { ok: true, message: `${path} is whole` };
}

function newestRuns(home: string, ids: readonly string[]) {
  const faults = ids.flatMap((runId) => {
    const result = check(runId, () => {
      readThrough(journalPath(runFolder(home, runId)), JOURNAL_MIGRATIONS);
      return { ok: true, message: "" };
    });
    return result.ok ? [] : [result.message];
  });
  return faults.length > 0
    ? { ok: false, message: faults.join("\n") }
    : { ok: true, message: `the newest ${ids.length} runs can be read` };
}

/** Runs whose process is gone. No fault of the store: they wait to be resumed. */
function deserted(home: string, ids: readonly string[], now: number) {
  const found = ids.filter((runId) => {
    try {
      const reader = openReader(runFolder(home, runId), runId);
      const holder = reader.holder();
      reader.close();
      return holder !== undefined && !seemsAlive(holder, now, thisProcess());
    } catch {
      // Said by the check before this one.
      return false;
    }
  });
  return {
    ok: true,
    message:
      found.length === 0
        ? "no run was left by its process"
        : `left by their process, can be resumed: ${found.join(", ")}`,
  };
}

function indexMatches(home: string): Omit<StoreCheck, "name"> {
  const path = indexPath(home);
  try {
    if (existsSync(path)) readThrough(path, INDEX_MIGRATIONS);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "corrupt") throw error;
    return { ok: false, message: error.message, remedy: "reindex" };
  }
  const rows = new Set(existsSync(path) ? indexedIds(path) : []);
  const folders = new Set(foldersOfRuns(home));
  const lost = [...rows].filter((id) => !folders.has(id));
  const strays = [...folders].filter((id) => !rows.has(id));
  if (lost.length + strays.length === 0) return { ok: true, message: `${rows.size} runs, all in the index` };
  const parts = [
    ...(lost.length > 0 ? [`in the index without a journal: ${lost.join(", ")}`] : []),
    ...(strays.length > 0 ? [`folders that are not in the index: ${strays.join(", ")}`] : []),
  ];
  return { ok: false, message: parts.join("; "), remedy: "reindex" };
}

function indexedIds(path: string): string[] {
  return guarded("reading the index of runs", path, () =>
    withTables(path, { readOnly: true }, (connection) =>
      connection
        .prepare<{ run_id: string }>("SELECT run_id FROM runs")
        .all([])
        .map((row) => row.run_id),
    ),
  );
}

export function doctorStore(home: string, now: number = Date.now()): StoreCheck[] {
  const newest = foldersOfRuns(home).slice(0, NEWEST);
  return [
    check("driver", () => ({ ok: true, message: `SQLite by ${sqliteDriver().name}` })),
    check("writable", () => writable(home)),
    check("space", () => space(home)),
    check("state", () => sharedState(home)),
    check("runs", () => newestRuns(home, newest)),
    check("leases", () => deserted(home, newest, now)),
    check("index", () => indexMatches(home)),
  ];
}
