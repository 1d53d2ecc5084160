// What the stores need of SQLite, so that two drivers can give it: Node's own, and libsql where Node has none. The database
// file is always the attached schema `file`; see open.ts for why. And transactions, and what errors mean.

/** No booleans: libsql ends the whole process when it is handed one. */
export type SqlValue = string | number | null | Uint8Array;

export interface Statement<Row> {
  /** Runs it and says how many rows changed. The array is read during the call only, so callers may reuse it. */
  run(values: readonly SqlValue[]): number;
  /** The first row. Of a statement that writes there is none: then this is `run` for who does not ask how many rows changed. */
  get(values: readonly SqlValue[]): Row | undefined;
  all(values: readonly SqlValue[]): Row[];
}

/** `Row` is taken on trust: only SQL that is written beside its row type is prepared, over a schema of ours. */
export interface Connection {
  exec(sql: string): void;
  prepare<Row = Record<string, SqlValue>>(sql: string): Statement<Row>;
  /** Lets go of the file at once, whatever statements are still around. */
  close(): void;
}

export interface Driver {
  readonly name: "node:sqlite" | "libsql";
  /** A database in memory on which `setup` was run; it attaches the file, and is run again should the driver have to begin anew. */
  connect(setup: string): Connection;
}

const inside = new WeakSet<Connection>();

export const isInTransaction = (connection: Connection): boolean => inside.has(connection);

/** A transaction that holds the write lock from its first moment: what was read is still true when it is written. Inside another one it becomes part of that. */
export function immediately<Result>(connection: Connection, work: () => Result): Result {
  if (inside.has(connection)) return work();
  connection.exec("BEGIN IMMEDIATE");
  inside.add(connection);
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      connection.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself already, as it does on a full disk.
    }
    throw error;
  } finally {
    inside.delete(connection);
  }
}

export type Fault = "readonly" | "full" | "locked" | "corrupt" | "io" | "missing";

const BY_SQLITE: Readonly<Record<number, Fault>> = {
  1: "corrupt", // SQLITE_ERROR: our own statements fail to compile only over a schema that is not ours
  5: "locked",
  6: "locked",
  8: "readonly",
  10: "io",
  11: "corrupt",
  13: "full",
  14: "io",
  23: "readonly",
  26: "corrupt",
};

const BY_ERRNO: Readonly<Record<string, Fault>> = {
  EACCES: "readonly",
  EPERM: "readonly",
  EROFS: "readonly",
  ENOSPC: "full",
  EDQUOT: "full",
  ENOENT: "missing",
};

interface Coded {
  readonly code?: unknown;
  readonly rawCode?: unknown;
  readonly errcode?: unknown;
}

/** SQLite's primary result code, if the error is one of SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { rawCode, errcode } = error as Coded;
  const code = typeof rawCode === "number" ? rawCode : errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}

const SQLITE_CONSTRAINT = 19;

export const isConstraint = (error: unknown): boolean => sqliteCode(error) === SQLITE_CONSTRAINT;

export const isLocked = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code !== undefined && BY_SQLITE[code] === "locked";
};

export function faultOf(error: unknown): Fault {
  const code = sqliteCode(error);
  if (code !== undefined) return BY_SQLITE[code] ?? "io";
  const errno = (error as Coded | null)?.code;
  return (typeof errno === "string" ? BY_ERRNO[errno] : undefined) ?? "io";
}
