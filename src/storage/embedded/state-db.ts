// state.db: what runs share. Rollback-journal mode, because many processes write it, seldom and briefly. The index of
// runs is index.db, a file of its own (`index-db.ts`).
import { join } from "node:path";
import { keptText, textKept } from "../rows/columns.ts";
import { type Connection, immediately, type SqlValue } from "../sqlite/connection.ts";
import { UNSEALED } from "../state/seal.ts";
import {
  first,
  type KeyForms,
  raw,
  rows,
  type SqlParameter,
  type SqlStep,
  type SqlWork,
  type StateHost,
  sql,
} from "../state/sql.ts";
import { type SyncTables, sharedTables } from "../state/tables.ts";
import { type Migration, orClosed } from "./database-file.ts";
import { openIndex, openShared } from "./index-db.ts";
import { type Observer, Owners } from "./liveness.ts";
import { RunIndexTable } from "./run-index.ts";

export interface StateDb extends SyncTables {
  readonly runs: RunIndexTable;
  readonly liveness: Owners;
  /** Several changes as one, for work that touches many rows. */
  atOnce<Result>(work: () => Result): Result;
  close(): void;
}

export const statePath = (home: string): string => join(home, "state.db");

/**
 * `TRUNCATE` spares making and removing a file with each commit. `NORMAL` flushes: unlike the journals, which are many,
 * this one file holds the dead letters of all runs, and a power cut must not tear it. `secure_delete`: questions may hold
 * secrets of a run, and what is removed is not to stay on a page that is free.
 */
const SETTINGS = "PRAGMA file.journal_mode=TRUNCATE; PRAGMA file.synchronous=NORMAL; PRAGMA file.secure_delete=ON";

export function openStateDb(home: string, now: () => number, observer: Observer, busyMs = 10_000): StateDb {
  const path = statePath(home);
  const index = openIndex(home, busyMs, { path, version: INDEX_MOVED });
  const file = { path, doing: "using what runs share", settings: SETTINGS, migrations: STATE_MIGRATIONS };
  const connection = orClosed(index, () => openShared(home, { ...file, patienceMs: busyMs }));
  const owners = new Owners(connection, observer, now);
  const runs = new RunIndexTable(index);
  const host = sqliteState(connection, owners, now);
  const tables = sharedTables(host, {
    recording: host.transaction,
    // The index of runs is in another file.
    *madeRun(failed) {
      const found = yield* rows<{ run_id: string }>(sql`select run_id from ${failed}`);
      const made = found.map(({ run_id }) => run_id).filter((runId) => runs.get(runId) !== undefined);
      return host.among(raw("run_id"), made);
    },
  });
  return {
    ...(tables as SyncTables),
    runs,
    liveness: owners,
    atOnce: (work) => immediately(connection, () => immediately(index, work)),
    close: () => {
      owners.close();
      connection.close();
      index.close();
    },
  };
}

/** No booleans: libsql ends the whole process when it is handed one. */
const sqliteValue = (value: SqlParameter): SqlValue =>
  typeof value === "boolean" ? Number(value) : ((value ?? null) as SqlValue);

/** Keys of any length can be compared. */
const KEYS: KeyForms = {
  kept: (key) => ({ key: keptText(key) }),
  compared: (key) => [keptText(key)],
  keyOf: ({ key }) => textKept(key),
};

/** A list as one parameter: with one for each item, every length of it would be another statement to keep. */
const each = (values: readonly unknown[]) => sql`json_each(${JSON.stringify(values)})`;

function finished<Result>(work: SqlWork<Result>, ask: (step: SqlStep) => unknown): Result {
  let next = work.next();
  while (!next.done) next = work.next(ask(next.value));
  return next.value;
}

function sqliteState(connection: Connection, owners: Owners, now: () => number): StateHost {
  const ask = ({ statement, gives }: SqlStep): unknown => {
    const prepared = connection.prepare(statement.text("?"));
    const values = statement.values.map(sqliteValue);
    if (gives === "count") return prepared.run(values);
    if (gives === "first") return prepared.get(values);
    return gives === "rows" ? prepared.all(values) : immediately(connection, () => prepared.all(values));
  };
  return {
    isFleet: false,
    do: (work) => finished(work(), ask),
    transaction: (work) => immediately(connection, () => finished(work(), ask)),
    both: (one, other) =>
      immediately(connection, () => {
        for (const statement of [one, other]) ask({ statement, gives: "count" });
      }),
    *lock() {},
    forUpdate: raw(""),
    // Only processes can tell who lives. One that is not found here has just come.
    *living(owned) {
      const found = yield* first<{ all: string }>(sql`select json_group_array(distinct owner) as "all" from ${owned}`);
      const all = JSON.parse(found?.all ?? "[]") as readonly (string | null)[];
      const dead = all.filter((owner) => owner !== null && !owners.isAlive(owner));
      return dead.length === 0
        ? raw("(owner is not null)")
        : sql`(owner is not null and owner not in (select value from ${each(dead)}))`;
    },
    self: () => owners.self(),
    now,
    table: raw,
    among: (value, values) =>
      values.length === 1 ? sql`${value} = ${values[0]}` : sql`${value} in (select value from ${each(values)})`,
    each,
    pairs: (pairs) => sql`(select value ->> 0 as id, value ->> 1 as text from ${each(pairs)}) as kept`,
    seal: UNSEALED,
    keys: KEYS,
    names: KEYS,
    digest: (text) => text,
    readable: (found, _what, read) => found.map(read),
  };
}

const firstTables: Migration = (connection) =>
  connection.exec(`
    CREATE TABLE file.runs (
      run_id TEXT PRIMARY KEY, workflow TEXT NOT NULL, file TEXT NOT NULL, status TEXT NOT NULL, started INTEGER NOT NULL,
      ended INTEGER, host TEXT, pid INTEGER, start TEXT, failing_kind TEXT, exit_code INTEGER, duration_ms INTEGER,
      cost_usd REAL, resumable INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE file.owners (owner TEXT PRIMARY KEY, heard INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE file.breakers (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE file.letters (
      id TEXT PRIMARY KEY, run_id TEXT NOT NULL, place TEXT NOT NULL, workflow TEXT NOT NULL, node TEXT NOT NULL, kind TEXT NOT NULL,
      status TEXT NOT NULL, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, count INTEGER NOT NULL, owner TEXT, body TEXT NOT NULL
    );
    CREATE UNIQUE INDEX file.letters_by_place ON letters (run_id, place);
    CREATE TABLE file.cache (hash TEXT PRIMARY KEY, expires INTEGER, value TEXT NOT NULL);
    CREATE TABLE file.gates (
      run_id TEXT, key TEXT, presented INTEGER NOT NULL, closed INTEGER NOT NULL, question TEXT NOT NULL, answer TEXT, PRIMARY KEY (run_id, key)
    ) WITHOUT ROWID;
    CREATE TABLE file.slots (scope TEXT, slot INTEGER, owner TEXT NOT NULL, PRIMARY KEY (scope, slot)) WITHOUT ROWID;
    CREATE TABLE file.running (step TEXT, run_id TEXT, key TEXT, owner TEXT NOT NULL, PRIMARY KEY (step, run_id, key)) WITHOUT ROWID;
    CREATE TABLE file.last_outcomes (step TEXT PRIMARY KEY, ok INTEGER NOT NULL) WITHOUT ROWID;
  `);

const triggers: Migration = (connection) =>
  connection.exec(`
    CREATE TABLE file.firings (
      run_id TEXT PRIMARY KEY, trigger_name TEXT NOT NULL, status TEXT NOT NULL, fired INTEGER NOT NULL, ended INTEGER, owner TEXT,
      group_key TEXT, group_limit INTEGER, depth INTEGER NOT NULL, reason TEXT, body TEXT NOT NULL
    );
    CREATE INDEX file.firings_by_status ON firings (status, trigger_name);
    CREATE TABLE file.firing_marks (
      trigger_name TEXT, mark TEXT, run_id TEXT NOT NULL, until INTEGER, PRIMARY KEY (trigger_name, mark)
    ) WITHOUT ROWID;
    CREATE TABLE file.triggers (trigger_name TEXT PRIMARY KEY, paused INTEGER NOT NULL, seen INTEGER) WITHOUT ROWID;
  `);

const pausing: Migration = (connection) =>
  connection.exec(`
    ALTER TABLE file.triggers ADD COLUMN paused_by TEXT;
    ALTER TABLE file.triggers ADD COLUMN paused_at INTEGER;
  `);

/** The index has a file of its own. Its old table stays: a process of the version before writes there how its run ended. */
const indexMoved: Migration = () => {};

/** From this version on the index is not in state.db. */
const INDEX_MOVED = 4;

/** What waits for a person, found without reading what was settled long ago. */
const unsettled: Migration = (connection) =>
  connection.exec(`
    CREATE INDEX IF NOT EXISTS file.gates_open ON gates (run_id) WHERE answer IS NULL AND closed = 0;
    CREATE INDEX IF NOT EXISTS file.letters_by_status ON letters (status, last_seen);
  `);

const limits: Migration = (connection) =>
  connection.exec("CREATE TABLE IF NOT EXISTS file.limits (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;");

export const STATE_MIGRATIONS: readonly Migration[] = [firstTables, triggers, pausing, indexMoved, unsettled, limits];
