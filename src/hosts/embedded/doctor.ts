// What `segno doctor` asks of the store. It looks, and changes nothing.
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { guarded } from "../files/guarded.ts";
import { sqliteDriver } from "../sqlite/open.ts";
import type { StoreCheck } from "../store.ts";
import { StoreError } from "../store-error.ts";
import { journalPath } from "./journal.ts";
import { openReader } from "./journal-reader.ts";
import { JOURNAL_MIGRATIONS } from "./journal-schema.ts";
import { seemsAlive } from "./observer.ts";
import { openTables } from "./open-tables.ts";
import { thisProcess } from "./process-identity.ts";
import { readThrough } from "./read-through.ts";
import { foldersOfRuns, runFolder } from "./run-folders.ts";
import { INDEX_MIGRATIONS, indexPath } from "./state/index-db.ts";
import { statePath } from "./state/state-db.ts";
import { STATE_MIGRATIONS } from "./state/state-schema.ts";

const LOW_ON_SPACE = 100 * 1024 * 1024;
/** Journals that are read through; all of them could take minutes. */
const NEWEST = 20;

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
  return guarded("reading the index of runs", path, () => {
    const connection = openTables(path, { busyMs: 5000, mustExist: true, readOnly: true });
    try {
      return connection
        .prepare<{ run_id: string }>("SELECT run_id FROM runs")
        .all([])
        .map((row) => row.run_id);
    } finally {
      connection.close();
    }
  });
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
