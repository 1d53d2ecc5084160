// Opens database files. Each is attached as `file` to a database in memory: detaching lets go of the file at once, while
// closing a libsql connection leaves it open until its statements are collected (thousands of descriptors in a server).
import { statSync } from "node:fs";
import { requireOwnFile } from "../private-files.ts";
import { type Connection, type Driver, sqliteCode } from "./connection.ts";
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

const CANTOPEN = 14;

/** A file as a URI, which can pass options to SQLite. */
const uri = (path: string, query: string): string =>
  `file:${encodeURI(path).replaceAll("?", "%3F").replaceAll("#", "%23")}?${query}`;

/** A name by which SQLite reads a file without its log; one with something in its log is opened as usual, and refused. */
function immutable(path: string): string {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return log && log.size > 0 ? path : uri(path, "immutable=1");
}

/** Opens a file that exists, or that SQLite may create. Throws the driver's errors: see `faultOf`. */
export function openFile(path: string, options: OpenOptions, { connect }: Driver = sqliteDriver()): Connection {
  if (options.mustExist) statSync(path);
  // SQLite would write through a link, and into a file's other name: also for a reader, which carries the log over.
  for (const side of ["", "-wal", "-shm", "-journal"]) requireOwnFile(path + side);
  const setup = (name: string): string =>
    [
      `PRAGMA busy_timeout=${options.busyMs}`,
      `ATTACH ${quoted(name)} AS file`,
      ...(options.settings === undefined ? [] : [options.settings]),
      ...(options.readOnly ? ["PRAGMA query_only=1"] : []),
    ].join(";");
  if (!options.readOnly) return connect(setup(path));
  return readable(() => connect(setup(path))) ?? connect(setup(immutable(path)));
}

/** In a folder that cannot be written, a WAL database can only be read as one that never changes. */
function readable(open: () => Connection): Connection | undefined {
  let connection: Connection | undefined;
  try {
    connection = open();
    connection.prepare("SELECT 1 FROM file.sqlite_schema LIMIT 1").get([]);
    return connection;
  } catch (error) {
    connection?.close();
    if (sqliteCode(error) !== CANTOPEN) throw error;
    return undefined;
  }
}

/** A connection that holds a file without being able to write it; nothing where the driver cannot give one. */
export function openKeeper(path: string): Connection | undefined {
  try {
    const connection = sqliteDriver().connect(`ATTACH ${quoted(uri(path, "mode=ro"))} AS file`);
    connection.prepare("SELECT 1 FROM file.sqlite_schema LIMIT 1").get([]);
    return connection;
  } catch {
    return undefined;
  }
}
