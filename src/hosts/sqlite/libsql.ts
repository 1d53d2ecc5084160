// The libsql driver, for Nodes without a SQLite of their own (before 22.13).
import { createRequire } from "node:module";
import type { Connection, Driver, Statement, Value } from "./connection.ts";

interface LibsqlStatement {
  run(values: readonly Value[]): { changes: number };
  get(values: readonly Value[]): unknown;
  all(values: readonly Value[]): unknown[];
}

interface LibsqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): LibsqlStatement;
}

class LibsqlConnection implements Connection {
  readonly #database: LibsqlDatabase;
  readonly #idle: LibsqlDatabase[];
  #open = true;

  constructor(database: LibsqlDatabase, idle: LibsqlDatabase[]) {
    this.#database = database;
    this.#idle = idle;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  prepare<Row>(sql: string): Statement<Row> {
    const statement = this.#database.prepare(sql);
    return {
      run: (values) => statement.run(values).changes,
      get: (values) => statement.get(values) as Row | undefined,
      all: (values) => statement.all(values) as Row[],
    };
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // There was no transaction, as it should be.
    }
    try {
      this.#database.exec("PRAGMA query_only=0; DETACH file");
    } catch {
      // Never attached.
    }
    this.#idle.push(this.#database);
  }
}

export function loadLibsql(): Driver {
  const Database = createRequire(import.meta.url)("libsql") as new (path: string) => LibsqlDatabase;
  // Connections are used again: one that is dropped keeps some 100 KB until its statements are collected.
  const idle: LibsqlDatabase[] = [];
  return { name: "libsql", connect: () => new LibsqlConnection(idle.pop() ?? new Database(":memory:"), idle) };
}
