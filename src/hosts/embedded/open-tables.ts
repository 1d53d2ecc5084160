// Opens a database file that may come from another person: a project can contain a home. A view in the place of a table
// would be computed by every reader, perhaps without end; so only tables are read.
import type { Connection } from "../sqlite/connection.ts";
import { type OpenOptions, openFile } from "../sqlite/open.ts";

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
  const connection = openFile(path, options);
  try {
    const rows = connection.prepare<SchemaRow>("SELECT name, type, sql FROM file.sqlite_schema").all([]);
    const odd = rows.find((row) => !isPlain(row));
    if (odd) throw new TypeError(`${odd.name} is no plain table`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
