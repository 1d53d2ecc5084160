// The libsql driver, for Nodes without a SQLite of their own (before 22.13).
import { createRequire } from "node:module";
import type { Connection, Driver, SqlValue, Statement } from "./connection.ts";
import { isLocked } from "./failure.ts";
import { type LibsqlDatabase, type LibsqlStatement, loadBinding } from "./libsql-binding.ts";

/**
 * libsql does not reset a statement that met a lock. SQLite then takes it for one that still writes, and later writes of
 * the same connection are reported as done but never committed. So after a lock the connection is replaced.
 */
const leavesStatementBehind = isLocked;

/**
 * A database in memory with the statements that were prepared on it, one for each text. libsql gives no way to end a
 * statement, and every one that is still there is visited by each ROLLBACK and DETACH: with new ones for every run, a run
 * would cost more than the one before. SQLite prepares them anew by itself when another file is attached.
 */
class PooledDatabase {
  readonly #statements = new Map<string, LibsqlStatement>();

  constructor(readonly database: LibsqlDatabase) {}

  exec(sql: string): void {
    this.database.exec(sql);
  }

  prepare(sql: string): LibsqlStatement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** One that failed is not used again. */
  forget(sql: string): void {
    this.#statements.delete(sql);
  }
}

/** Databases in memory that were detached from their files. One that is dropped keeps some 100 KB until its statements are collected. */
class Pool {
  readonly #idle: PooledDatabase[] = [];

  constructor(private readonly open: () => LibsqlDatabase) {}

  take(): PooledDatabase {
    return this.#idle.pop() ?? new PooledDatabase(this.open());
  }

  /** Lets go of the file; what is stuck is not used again. */
  giveBack(database: PooledDatabase, reusable: boolean): void {
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

/** No connection has this generation. */
const NEVER = -1;

class LibsqlConnection implements Connection {
  /** Absent after a lock was met, until the next use. */
  #database: PooledDatabase | undefined;
  /** Raised with each replacement, so that statements know they are out of date. */
  #generation = 0;
  #open = true;

  constructor(
    private readonly pool: Pool,
    private readonly setup: string,
  ) {
    this.#current();
  }

  #current(): PooledDatabase {
    if (this.#database) return this.#database;
    if (!this.#open) throw new Error("the connection is closed");
    const database = this.pool.take();
    try {
      database.exec(this.setup);
    } catch (error) {
      this.pool.giveBack(database, true);
      throw error;
    }
    this.#generation += 1;
    this.#database = database;
    return database;
  }

  #drop(reusable: boolean): void {
    if (this.#database) this.pool.giveBack(this.#database, reusable);
    this.#database = undefined;
  }

  exec(sql: string): void {
    this.#current().exec(sql);
  }

  prepare<Row>(sql: string): Statement<Row> {
    let statement = this.#current().prepare(sql);
    let generation = this.#generation;
    const use = <Result>(call: (current: LibsqlStatement) => Result): Result => {
      try {
        if (generation !== this.#generation || !this.#database) {
          statement = this.#current().prepare(sql);
          generation = this.#generation;
        }
        return call(statement);
      } catch (error) {
        this.#database?.forget(sql);
        if (leavesStatementBehind(error)) this.#drop(false);
        // The next caller would get this error too.
        generation = NEVER;
        throw error;
      }
    };
    return {
      run: (values: readonly SqlValue[]) => use((current) => current.run(values).changes),
      get: (values: readonly SqlValue[]) => use((current) => current.get(values) as Row | undefined),
      all: (values: readonly SqlValue[]) => use((current) => current.all(values) as Row[]),
    };
  }

  close(): void {
    this.#open = false;
    this.#drop(true);
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
