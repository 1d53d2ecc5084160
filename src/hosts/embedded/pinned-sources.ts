// The files a drive of a run was started from, kept with the run: a crash is recovered with these, not with what the
// author has edited meanwhile. Each text is kept once, by hash.

import { contentHash } from "../rows/kept-text.ts";
import type { Connection } from "../sqlite/connection.ts";
import { immediately } from "../sqlite/transaction.ts";

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
