// What is kept with a run beside its events: its newest keyframe and the files that its drives were started from, in its
// journal, and its secrets, in a file of their own that only the user can read.
import { closeSync, existsSync, fstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openForReading } from "../../steps/process/platform.ts";
import { guarded } from "../files/guarded.ts";
import { writePrivate } from "../private-files.ts";
import { contentHash, type KeptSecrets, keptFrom, NOTHING_KEPT, textOfKept } from "../rows/columns.ts";
import { type Fetch, fetchBig, speaksOfBlobs } from "../rows/spill.ts";
import { type Connection, immediately } from "../sqlite/connection.ts";
import { StoreError } from "../store-error.ts";

/** A crash is recovered with these, not with what the author has edited meanwhile. Each text is kept once, by hash. */
export function pinSources(connection: Connection, drive: number, sources: ReadonlyMap<string, string>): void {
  const keep = connection.prepare("INSERT OR IGNORE INTO sources VALUES (?, ?)");
  const pin = connection.prepare("INSERT OR REPLACE INTO pins VALUES (?, ?, ?)");
  immediately(connection, () => {
    connection.prepare("DELETE FROM pins WHERE drive = ?").run([drive]);
    for (const [path, text] of sources) {
      // As JSON: libsql cuts a text at its first zero character.
      const hash = contentHash(text);
      keep.run([hash, JSON.stringify(text)]);
      pin.run([drive, path, hash]);
    }
  });
}

/** Those of one drive, or of the newest; empty when nothing was pinned. */
export function pinnedSources(connection: Connection, drive?: number): Map<string, string> {
  const which =
    drive ??
    connection.prepare<{ newest: number | null }>("SELECT max(drive) AS newest FROM pins").get([])?.newest ??
    -1;
  const rows = connection
    .prepare<{ path: string; text: string }>(
      "SELECT path, text FROM pins JOIN sources USING (hash) WHERE drive = ? ORDER BY path",
    )
    .all([which]);
  return new Map(rows.map(({ path, text }) => [path, JSON.parse(text) as string]));
}

const pathOf = (folder: string): string => join(folder, "secrets.json");

export function keepSecrets(folder: string, kept: KeptSecrets, flush: boolean): void {
  guarded("keeping secrets", pathOf(folder), () => writePrivate(pathOf(folder), textOfKept(kept), flush));
}

/** The journal says that there is such a file, so that it is missed when it is gone. After it: what it holds is recorded later. */
export function recordKept(connection: Connection): void {
  connection.prepare("INSERT OR IGNORE INTO meta VALUES ('secrets', 'kept')").run([]);
}

/** The run is done, and its events hold no secret any more: none is missed. */
export function recordForgotten(connection: Connection): void {
  connection.prepare("INSERT OR REPLACE INTO meta VALUES ('secrets', 'forgotten')").run([]);
}

export const recordedSecrets = (connection: Connection): "kept" | "forgotten" | undefined =>
  connection.prepare<{ value: "kept" | "forgotten" }>("SELECT value FROM meta WHERE key = 'secrets'").get([])?.value;

export const removeSecrets = (folder: string): void =>
  guarded("removing the secrets of a run", pathOf(folder), () => rmSync(pathOf(folder), { force: true }));

export const isKept = (folder: string): boolean => existsSync(pathOf(folder));

export function keptSecrets(folder: string): KeptSecrets {
  const path = pathOf(folder);
  return guarded("reading the secrets of a run", path, () => {
    const text = textIn(path);
    return text === undefined ? NOTHING_KEPT : keptFrom(text);
  });
}

/** Nothing when it is not there. */
function textIn(path: string): string | undefined {
  let file: number;
  try {
    file = openForReading(path);
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw problem;
  }
  try {
    if (!fstatSync(file).isFile())
      throw new StoreError(
        "corrupt",
        `While reading the secrets of a run: ${path} is no file that Segno wrote, and without them nothing of the run can be shown. Put the file back, or remove the run.`,
        path,
      );
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

const KEY = "keyframe";

/** Its big values are kept like those of events, so that an output that an event holds is not written again. */
export function keptKeyframe(connection: Connection, fetch: Fetch): string | undefined {
  const row = connection.prepare<{ value: string }>("SELECT value FROM meta WHERE key = ?").get([KEY]);
  if (!row || !speaksOfBlobs(row.value)) return row?.value;
  return JSON.stringify(fetchBig(JSON.parse(row.value) as object, fetch));
}

/** Only while the lease is still this process's: another may have gone on from the keyframe that is there. */
export function keepKeyframe(connection: Connection, token: string, text: string): void {
  connection.prepare("INSERT OR REPLACE INTO meta SELECT ?, ? FROM lease WHERE token = ?").run([KEY, text, token]);
}

export function removeKeyframe(connection: Connection): void {
  const find = connection.prepare("SELECT 1 FROM meta WHERE key = ?");
  if (find.get([KEY])) connection.prepare("DELETE FROM meta WHERE key = ?").run([KEY]);
}
