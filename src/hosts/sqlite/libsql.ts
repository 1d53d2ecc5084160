// The libsql driver, for Nodes without a SQLite of their own (before 22.13).
import { createRequire } from "node:module";
import type { Connection, Driver, Statement, Value } from "./connection.ts";
import { sqliteCode } from "./failure.ts";
import { type LibsqlDatabase, type LibsqlStatement, loadBinding } from "./libsql-binding.ts";

const BUSY = 5;
const LOCKED = 6;

/**
 * libsql does not reset a statement that met a lock. SQLite then takes it for one that still writes, and later writes of
 * the same connection are reported as done but never committed. So after a lock the connection is replaced.
 */
const leavesStatementBehind = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code === BUSY || code === LOCKED;
};

/** Databases in memory that were detached from their files. One that is dropped keeps some 100 KB until its statements are collected. */
class Pool {
  readonly #open: () => LibsqlDatabase;
  readonly #idle: LibsqlDatabase[] = [];

  constructor(open: () => LibsqlDatabase) {
    this.#open = open;
  }

  take(): LibsqlDatabase {
    return this.#idle.pop() ?? this.#open();
  }

  /** Lets go of the file; what is stuck is not used again. */
  giveBack(database: LibsqlDatabase, reusable: boolean): void {
    try {
      database.exec("ROLLBACK");
    } catch {
      // There was no transaction, as it should be.
    }
    try {
      database.exec("PRAGMA query_only=0; DETACH file");
      if (reusable) this.#idle.push(database);
    } catch {
      // Nothing was attached.
    }
  }
}

class LibsqlConnection implements Connection {
  readonly #pool: Pool;
  readonly #setup: string;
  #database: LibsqlDatabase;
  /** Raised with each replacement, so that statements know they are out of date. */
  #generation = 0;
  #open = true;

  constructor(pool: Pool, setup: string) {
    this.#pool = pool;
    this.#setup = setup;
    this.#database = this.#fresh();
  }

  #fresh(): LibsqlDatabase {
    const database = this.#pool.take();
    try {
      database.exec(this.#setup);
      return database;
    } catch (error) {
      this.#pool.giveBack(database, true);
      throw error;
    }
  }

  #replaceAfter(error: unknown): void {
    if (!this.#open || !leavesStatementBehind(error)) return;
    this.#pool.giveBack(this.#database, false);
    this.#open = false;
    this.#database = this.#fresh();
    this.#open = true;
    this.#generation += 1;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  prepare<Row>(sql: string): Statement<Row> {
    let statement = this.#database.prepare(sql);
    let generation = this.#generation;
    const use = <Result>(call: (current: LibsqlStatement) => Result): Result => {
      try {
        if (generation !== this.#generation) {
          statement = this.#database.prepare(sql);
          generation = this.#generation;
        }
        return call(statement);
      } catch (error) {
        this.#replaceAfter(error);
        throw error;
      }
    };
    return {
      run: (values: readonly Value[]) => use((current) => current.run(values).changes),
      get: (values: readonly Value[]) => use((current) => current.get(values) as Row | undefined),
      all: (values: readonly Value[]) => use((current) => current.all(values) as Row[]),
    };
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#pool.giveBack(this.#database, true);
  }
}

/** Through libsql's documented entry. */
export function loadEntry(require: NodeJS.Require): () => LibsqlDatabase {
  const Database = require("libsql") as new (path: string) => LibsqlDatabase;
  return () => new Database(":memory:");
}

/** `load` is for tests, which want both ways. */
export function loadLibsql(load: typeof loadBinding = loadBinding): Driver {
  const require = createRequire(import.meta.url);
  const pool = new Pool(load(require) ?? loadEntry(require));
  return { name: "libsql", connect: (setup) => new LibsqlConnection(pool, setup) };
}
