// index.db: the index of runs, in a file of its own. It is written twice for each run. Flushing it would cost as much
// as all the rest of a short run, so it is not flushed, and a power cut can damage it. Nothing is lost then: `segno
// doctor --reindex` makes it anew from the folders of the runs. What only state.db has is never in this file.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { writing } from "../faults.ts";
import { guarded } from "../files/guarded.ts";
import { touchPrivate } from "../private-files.ts";
import { RUN_COLUMNS } from "../rows/columns.ts";
import { type Connection, isInTransaction, isLocked, type SqlValue, type Statement } from "../sqlite/connection.ts";
import { type Migration, migrate, openTables, orClosed, versionOf, withTables } from "./database-file.ts";
import { makeHome } from "./run-folders.ts";

export const indexPath = (home: string): string => join(home, "index.db");

const SETTINGS = "PRAGMA file.journal_mode=TRUNCATE; PRAGMA file.synchronous=OFF";

/** `older`: the rows that an earlier version kept in state.db. */
const migrations = (older: () => readonly Readonly<Record<string, SqlValue>>[]): readonly Migration[] => [
  (connection) => {
    connection.exec(`
      CREATE TABLE file.runs (
        run_id TEXT PRIMARY KEY, workflow TEXT NOT NULL, file TEXT NOT NULL, status TEXT NOT NULL, started INTEGER NOT NULL,
        ended INTEGER, host TEXT, pid INTEGER, start TEXT, failing_kind TEXT, exit_code INTEGER, duration_ms INTEGER,
        cost_usd REAL, resumable INTEGER NOT NULL
      ) WITHOUT ROWID
    `);
    const insert = connection.prepare(
      `INSERT OR REPLACE INTO file.runs (${RUN_COLUMNS.join(", ")}) VALUES (${RUN_COLUMNS.map(() => "?").join(", ")})`,
    );
    for (const row of older()) insert.run(RUN_COLUMNS.map((name) => row[name] ?? null));
  },
  changesListed,
  factsKept,
];

/** Each change has the next number, so readers fetch only what is new. Removed runs leave theirs: it must not come twice. `runs_by_end`: an id is named by its end. */
function changesListed(connection: Connection): void {
  connection.exec(`
    ALTER TABLE file.runs ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX file.runs_by_change ON runs (changed);
    CREATE INDEX file.runs_by_end ON runs (substr(run_id, -6));
    CREATE TABLE file.removed (changed INTEGER PRIMARY KEY, run_id TEXT NOT NULL);
  `);
}

/** `figures` is a table of its own: lists, which read whole rows of `runs`, do not need it. */
function factsKept(connection: Connection): void {
  connection.exec(`
    ALTER TABLE file.runs ADD COLUMN name TEXT;
    ALTER TABLE file.runs ADD COLUMN eval_id TEXT;
    ALTER TABLE file.runs ADD COLUMN rehearsal INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE file.runs ADD COLUMN input_marks TEXT NOT NULL DEFAULT '';
    CREATE TABLE file.figures (run_id TEXT PRIMARY KEY, figures TEXT NOT NULL) WITHOUT ROWID;
  `);
}

export const INDEX_MIGRATIONS = migrations(() => []);

/** A file of the home that many processes write. */
interface SharedFile {
  readonly path: string;
  /** Completes "While …". */
  readonly doing: string;
  readonly settings: string;
  readonly migrations: readonly Migration[];
  readonly patienceMs: number;
}

/** state.db kept the index until it was of this version. */
interface OlderState {
  readonly path: string;
  readonly version: number;
}

export const openIndex = (home: string, patienceMs: number, state: OlderState): Connection =>
  openShared(home, {
    path: indexPath(home),
    doing: "using the index of runs",
    settings: SETTINGS,
    patienceMs,
    migrations: migrations(() => rowsOfState(state)),
  });

export function openShared(home: string, file: SharedFile): Connection {
  const { path, doing, settings, patienceMs } = file;
  return guarded(doing, path, () => {
    makeHome(home);
    touchPrivate(path);
    const opened = patiently(patienceMs, () => openTables(path, { busyMs: SHORT_WAIT_MS, settings }));
    return orClosed(guardedConnection(opened, file), (connection) => {
      migrate(connection, file.migrations, path);
      return connection;
    });
  });
}

function rowsOfState({ path, version }: OlderState): readonly Readonly<Record<string, SqlValue>>[] {
  if (!existsSync(path)) return [];
  return guarded("taking the index of runs out of it", path, () =>
    withTables(path, { busyMs: SHORT_WAIT_MS, readOnly: true }, (connection) => {
      const found = versionOf(connection);
      if (found === 0 || found >= version) return [];
      return connection.prepare<Record<string, SqlValue>>(`SELECT ${RUN_COLUMNS.join(", ")} FROM file.runs`).all([]);
    }),
  );
}

// A connection whose errors are said to people, and which waits for others' locks, so that the tables built on it need not
// think of either.

function guardedConnection(inner: Connection, { doing, path, patienceMs }: SharedFile): Connection {
  const guard = <Result>(work: () => Result): Result => guarded(doing, path, () => patiently(patienceMs, work));
  // Within a transaction a statement may not be tried alone: what went before it may be undone.
  const guardStatement = <Result>(work: () => Result): Result =>
    isInTransaction(connection) ? guarded(doing, path, work) : guard(work);
  const connection: Connection = {
    exec: (sql) => (sql === "COMMIT" ? writing(() => guard(() => inner.exec(sql))) : guard(() => inner.exec(sql))),
    prepare: <Row>(sql: string): Statement<Row> => {
      const statement = guardStatement(() => inner.prepare<Row>(sql));
      return {
        run: (values) =>
          isInTransaction(connection)
            ? guardStatement(() => statement.run(values))
            : writing(() => guard(() => statement.run(values))),
        get: (values) => guardStatement(() => statement.get(values)),
        all: (values) => guardStatement(() => statement.all(values)),
      };
    },
    close: () => inner.close(),
  };
  return connection;
}

// Waiting for others' locks. SQLite itself asks more and more seldom, ten times a second in the end, and never gets its turn
// beside a process that writes all the time; so its own wait is kept short, and the call is repeated.

/** How long SQLite itself waits. */
const SHORT_WAIT_MS = 50;

const pause = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};

/** Tries again while another connection has the lock; after `patienceMs` the error is thrown. */
function patiently<Result>(patienceMs: number, work: () => Result): Result {
  let until: number | undefined;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error)) throw error;
      until ??= performance.now() + patienceMs;
      if (performance.now() >= until) throw error;
      pause(1 + Math.random() * 5);
    }
  }
}
