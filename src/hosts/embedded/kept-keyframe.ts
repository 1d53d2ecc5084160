// The newest keyframe of a run, in its journal beside the rows. Its big values are kept like those of events, so that an
// output that an event holds is not written again.
import { type Fetch, fetchBig, speaksOfBlobs } from "../rows/spill.ts";
import type { Connection } from "../sqlite/connection.ts";

const KEY = "keyframe";

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
