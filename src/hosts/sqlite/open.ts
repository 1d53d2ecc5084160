// Opens database files. Each is attached as `file` to a database in memory: detaching lets go of the file at once, while
// closing a libsql connection leaves it open until its statements are collected (thousands of descriptors in a server).
import { statSync } from "node:fs";
import type { Connection, Driver } from "./connection.ts";
import { loadLibsql } from "./libsql.ts";
import { loadNodeSqlite } from "./node-sqlite.ts";

export interface OpenOptions {
  /** How long to wait for others' locks, in milliseconds. */
  readonly busyMs: number;
  /** SQLite would make a file that is missing. */
  readonly mustExist?: boolean;
  readonly readOnly?: boolean;
  /** Settings of the file that do not last beyond a connection. */
  readonly settings?: string;
}

let driver: Driver | undefined;

/** Loaded on first use: `segno --version` never pays for a database. */
export const sqliteDriver = (): Driver => {
  driver ??= loadNodeSqlite() ?? loadLibsql();
  return driver;
};

const quoted = (path: string): string => `'${path.replaceAll("'", "''")}'`;

/** A name that SQLite reads as a URI, with everything but the query escaped. */
const immutableUri = (path: string): string =>
  `file:${encodeURI(path).replaceAll("?", "%3F").replaceAll("#", "%23")}?immutable=1`;

/** Opens a file that exists, or that SQLite may create. Throws the driver's errors: see failure.ts. */
export function openFile(path: string, options: OpenOptions, { connect }: Driver = sqliteDriver()): Connection {
  if (options.mustExist) statSync(path);
  const setup = (name: string): string =>
    [
      `PRAGMA busy_timeout=${options.busyMs}`,
      `ATTACH ${quoted(name)} AS file`,
      ...(options.settings === undefined ? [] : [options.settings]),
      ...(options.readOnly ? ["PRAGMA query_only=1"] : []),
    ].join(";");
  const connection = connect(setup(path));
  if (!options.readOnly || canBeRead(connection, path)) return connection;
  connection.close();
  return connect(setup(immutableUri(path)));
}

/** In a folder that cannot be written, a WAL database without its log can only be read as one that never changes. */
function canBeRead(connection: Connection, path: string): boolean {
  try {
    connection.prepare("SELECT 1 FROM file.sqlite_schema LIMIT 1").get([]);
    return true;
  } catch (error) {
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
    if (!log || log.size === 0) return false;
    connection.close();
    throw error;
  }
}
