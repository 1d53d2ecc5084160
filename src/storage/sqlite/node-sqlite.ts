// The driver on Node's own SQLite (22.13 and later). Node 22 and 24 warn that it is experimental when it is loaded; that
// is not for users of a workflow engine to read.
import type { Connection, Driver, SqlValue, Statement } from "./connection.ts";

interface NodeStatement {
  run(...values: readonly SqlValue[]): { changes: number | bigint };
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
}

interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
}

export interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => NodeDatabase;
}

class NodeConnection implements Connection {
  #open = true;

  constructor(private readonly database: NodeDatabase) {}

  exec(sql: string): void {
    this.database.exec(sql);
  }

  prepare<Row>(sql: string): Statement<Row> {
    const statement = this.database.prepare(sql);
    return {
      run: (values) => Number(statement.run(...values).changes),
      get: (values) => statement.get(...values) as Row | undefined,
      all: (values) => statement.all(...values) as Row[],
    };
  }

  close(): void {
    if (this.#open) this.database.close();
    this.#open = false;
  }
}

function quietly<Result>(load: () => Result): Result {
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = warn;
  }
}

const builtin = (): NodeSqlite | undefined =>
  quietly(() => (process.getBuiltinModule as (name: string) => unknown)("node:sqlite") as NodeSqlite | undefined);

/** The driver, or nothing where Node does not have it (or only behind a flag). */
export function loadNodeSqlite(sqlite: NodeSqlite | undefined = builtin()): Driver | undefined {
  if (!sqlite) return undefined;
  return {
    name: "node:sqlite",
    connect: (setup) => {
      const database = new sqlite.DatabaseSync(":memory:");
      try {
        database.exec(setup);
        return new NodeConnection(database);
      } catch (error) {
        database.close();
        throw error;
      }
    },
  };
}
