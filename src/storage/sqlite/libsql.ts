// The libsql driver, for Nodes without a SQLite of their own (before 22.13).
import { createRequire } from "node:module";
import { ARCHITECTURE, PLATFORM } from "../../steps/process/platform.ts";
import { type Connection, type Driver, isLocked, type SqlValue, type Statement } from "./connection.ts";

/**
 * A database in memory with the statements that were prepared on it, one for each text. libsql cannot end a statement, and
 * each ROLLBACK and DETACH visits all that are there: with new ones for every run, each run would cost more than the one
 * before. SQLite prepares them anew by itself when another file is attached.
 */
class PooledDatabase {
  readonly statements = new Map<string, LibsqlStatement>();

  constructor(readonly database: LibsqlDatabase) {}

  prepare(sql: string): LibsqlStatement {
    const statement = this.statements.get(sql) ?? this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
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
  giveBack(pooled: PooledDatabase, reusable: boolean): void {
    const { database } = pooled;
    try {
      database.exec("ROLLBACK");
    } catch {
      // There was no transaction, as it should be.
    }
    try {
      database.exec("PRAGMA query_only=0; DETACH file");
      if (reusable) this.#idle.push(pooled);
    } catch {
      // Nothing was attached.
    }
  }
}

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
    const pooled = this.pool.take();
    try {
      pooled.database.exec(this.setup);
    } catch (error) {
      this.pool.giveBack(pooled, true);
      throw error;
    }
    this.#generation += 1;
    this.#database = pooled;
    return pooled;
  }

  #drop(reusable: boolean): void {
    if (this.#database) this.pool.giveBack(this.#database, reusable);
    this.#database = undefined;
  }

  exec(sql: string): void {
    this.#current().database.exec(sql);
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
        // One that failed is not used again.
        this.#database?.statements.delete(sql);
        // libsql does not reset a statement that met a lock, and commits no later write of its connection: that is replaced.
        if (isLocked(error)) this.#drop(false);
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

interface LibsqlStatement {
  run(values: readonly SqlValue[]): { changes: number };
  get(values: readonly SqlValue[]): unknown;
  all(values: readonly SqlValue[]): unknown[];
}

interface LibsqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): LibsqlStatement;
}

type Handle = object;

interface Binding {
  databaseOpen(path: string, token: string, cipher: string, key: string, timeout: number, remoteKey: string): Handle;
  databaseExecSync(this: Handle, sql: string): void;
  databasePrepareSync(this: Handle, sql: string): Handle;
  statementRun(this: Handle, values: readonly SqlValue[]): { changes: number };
  statementGet(this: Handle, values: readonly SqlValue[]): unknown;
  statementRowsSync(this: Handle, values: readonly SqlValue[]): Handle;
  rowsNext(this: Handle, into: unknown[]): void;
}

const CALLS: readonly (keyof Binding)[] = [
  ...(["databaseOpen", "databaseExecSync", "databasePrepareSync"] as const),
  ...(["statementRun", "statementGet", "statementRowsSync", "rowsNext"] as const),
];

/** Where both C libraries exist the GNU one is tried; under musl it does not load, and the entry picks the other. */
const TARGETS: Readonly<Record<string, string>> = {
  "linux-x64": "linux-x64-gnu",
  "linux-arm64": "linux-arm64-gnu",
  "darwin-x64": "darwin-x64",
  "darwin-arm64": "darwin-arm64",
  "win32-x64": "win32-x64-msvc",
};

const ROWS_AT_ONCE = 100;

function statementOf(binding: Binding, handle: Handle): LibsqlStatement {
  return {
    run: (values) => binding.statementRun.call(handle, values),
    get: (values) => binding.statementGet.call(handle, values),
    all: (values) => {
      const rows = binding.statementRowsSync.call(handle, values);
      const found: unknown[] = [];
      for (;;) {
        const some: unknown[] = new Array(ROWS_AT_ONCE);
        binding.rowsNext.call(rows, some);
        for (const row of some) {
          if (!row) return found;
          found.push(row);
        }
      }
    },
  };
}

function databaseOf(binding: Binding): LibsqlDatabase {
  const handle = binding.databaseOpen(":memory:", "", "aes256cbc", "", 0, "");
  return {
    exec: (sql) => binding.databaseExecSync.call(handle, sql),
    prepare: (sql) => statementOf(binding, binding.databasePrepareSync.call(handle, sql)),
  };
}

/** Makes databases in memory; nothing when the native part is not where or what it was expected to be. */
export function loadBinding(require: NodeJS.Require): (() => LibsqlDatabase) | undefined {
  const target = TARGETS[`${PLATFORM}-${ARCHITECTURE}`];
  if (!target) return undefined;
  try {
    // Resolved from libsql's own place: some package managers let only it see the native package.
    const binding = createRequire(require.resolve("libsql"))(`@libsql/${target}`) as Partial<Binding>;
    if (!CALLS.every((call) => typeof binding[call] === "function")) return undefined;
    return () => databaseOf(binding as Binding);
  } catch {
    return undefined;
  }
}
