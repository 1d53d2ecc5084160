// What the stores need of SQLite, and no more, so that two drivers can give it: Node's own, and libsql where Node has none.
// The database file is always the attached schema `file`; see open.ts for why.

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
