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
}

let driver: Driver | undefined;

/** Loaded on first use: `segno --version` never pays for a database. */
export const sqliteDriver = (): Driver => {
  driver ??= loadNodeSqlite() ?? loadLibsql();
  return driver;
};

const quoted = (path: string): string => `'${path.replaceAll("'", "''")}'`;

/** A name that SQLite reads as an URI, with everything but the query escaped. */
const immutableUri = (path: string): string =>
  `file:${encodeURI(path).replaceAll("?", "%3F").replaceAll("#", "%23")}?immutable=1`;

/** Opens a file that exists, or that SQLite may create. Throws the driver's errors: see failure.ts. */
export function openFile(path: string, options: OpenOptions): Connection {
  const connection = sqliteDriver().connect();
  try {
    connection.exec(`PRAGMA busy_timeout=${options.busyMs}`);
    if (options.mustExist) statSync(path);
    connection.exec(`ATTACH ${quoted(path)} AS file`);
    if (options.readOnly) return readingOnly(connection, path);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** In a folder that cannot be written, a WAL database without its shared memory can only be read as one that never changes. */
function readingOnly(connection: Connection, path: string): Connection {
  connection.exec("PRAGMA query_only=1");
  try {
    connection.prepare("SELECT 1 FROM file.sqlite_schema LIMIT 1").get([]);
  } catch (error) {
    const rest = statSync(`${path}-wal`, { throwIfNoEntry: false });
    if (rest && rest.size > 0) throw error;
    connection.exec("DETACH file");
    connection.exec(`ATTACH ${quoted(immutableUri(path))} AS file`);
  }
  return connection;
}
