// Opens database files and brings them to the version this program writes: SQLite's `user_version`; 0 is a new file.
import { guarded } from "../files/guarded.ts";
import { type Connection, immediately } from "../sqlite/connection.ts";
import { type OpenOptions, openFile } from "../sqlite/open.ts";
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

// A database file may come from another person: a project can contain a home. A view in the place of a table would be
// computed by every reader, perhaps without end; so only tables are read.

interface SchemaRow {
  readonly name: string;
  readonly type: string;
  readonly sql: string | null;
}

/** What an index of a key has no text for. SQLite goes by the text, whatever the type beside it says. */
const isPlain = ({ type, sql }: SchemaRow): boolean =>
  sql === null ? type === "index" : /^CREATE (TABLE|INDEX|UNIQUE INDEX) /i.test(sql) && !/\bAS\b/i.test(sql);

/** As `openFile`. A file with views, triggers, virtual tables or computed columns is none that Segno wrote. */
export function openTables(path: string, options: OpenOptions): Connection {
  return orClosed(openFile(path, options), (connection) => {
    const rows = connection.prepare<SchemaRow>("SELECT name, type, sql FROM file.sqlite_schema").all([]);
    const odd = rows.find((row) => !isPlain(row));
    if (odd) throw new TypeError(`${odd.name} is no plain table`);
    return connection;
  });
}

/** What `use` gives; when it fails, the connection is closed. */
export function orClosed<Result>(connection: Connection, use: (connection: Connection) => Result): Result {
  try {
    return use(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Opens a file that is there for one use. */
export function withTables<Result>(
  path: string,
  options: Partial<OpenOptions>,
  use: (connection: Connection) => Result,
): Result {
  const connection = openTables(path, { busyMs: 5000, mustExist: true, ...options });
  try {
    return use(connection);
  } finally {
    connection.close();
  }
}

/** Throws when the file is damaged, newer, or cannot be opened. */
export function readThrough(path: string, migrations: readonly Migration[]): void {
  guarded("reading it through", path, () =>
    withTables(path, { readOnly: true }, (connection) => {
      requireVersion(connection, migrations, path);
      const check = connection.prepare<{ integrity_check: string }>("PRAGMA file.integrity_check(1)");
      const found = check.get([])?.integrity_check;
      if (found !== "ok") throw new StoreError("corrupt", `${path} is damaged: ${found}`, path);
    }),
  );
}
