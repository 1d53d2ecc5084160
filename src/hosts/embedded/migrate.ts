// Brings a database file to the version this program writes. The version is SQLite's `user_version`; 0 is a new file.
import type { Connection } from "../sqlite/connection.ts";
import { immediately } from "../sqlite/transaction.ts";
import { StoreError } from "../store-error.ts";

/** Step `n` of the list leads from version `n` to version `n + 1`. Steps that were released never change. */
export type Migration = (connection: Connection) => void;

export const versionOf = (connection: Connection): number =>
  connection.prepare<{ user_version: number }>("PRAGMA file.user_version").get([])?.user_version ?? 0;

function refuseNewer(found: number, known: number, path: string): void {
  if (found <= known) return;
  throw new StoreError(
    "newer",
    `${path} was written by a newer Segno (format ${found}; this one knows up to ${known}). Update Segno, or keep runs in another place.`,
    path,
  );
}

/** For readers, who change nothing: refuses a newer file, and one that was never set up. */
export function requireVersion(connection: Connection, migrations: readonly Migration[], path: string): void {
  const found = versionOf(connection);
  refuseNewer(found, migrations.length, path);
  if (found === 0)
    throw new StoreError(
      "corrupt",
      `${path} was never set up completely: the process that made it was stopped. Nothing ran from it.`,
      path,
    );
}

/** One read when there is nothing to do, else one transaction; of two processes that come at once, one does it. */
export function migrate(connection: Connection, migrations: readonly Migration[], path: string): void {
  const found = versionOf(connection);
  refuseNewer(found, migrations.length, path);
  if (found === migrations.length) return;
  immediately(connection, () => {
    const start = versionOf(connection);
    refuseNewer(start, migrations.length, path);
    for (const step of migrations.slice(start)) step(connection);
    connection.exec(`PRAGMA file.user_version=${migrations.length}`);
  });
}
