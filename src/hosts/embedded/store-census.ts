// How much a store holds and in which format it is written: what `segno doctor` says of pruning and migrations.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { guarded } from "../files/guarded.ts";
import type { StoreCensus } from "../store.ts";
import { journalPath } from "./journal.ts";
import { JOURNAL_MIGRATIONS } from "./journal-schema.ts";
import { openTables } from "./open-tables.ts";
import { foldersOfRuns, runFolder, runsFolder } from "./run-folders.ts";
import { statePath } from "./state/state-db.ts";
import { STATE_MIGRATIONS } from "./state/state-schema.ts";

/** Files that are looked at for their size. */
const MOST_FILES = 20_000;
/** Journals whose format is looked at; old ones stay as they are until they are resumed. */
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
  return guarded("looking at its format", path, () => {
    const connection = openTables(path, { busyMs: 5000, mustExist: true, readOnly: true });
    try {
      const found = connection.prepare<{ user_version: number }>("PRAGMA file.user_version").get([])?.user_version ?? 0;
      return found > 0 && found < known;
    } finally {
      connection.close();
    }
  });
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
