// The tables of state.db: what runs share. Narrow rows first; what only one reader needs is JSON in a last column.
import type { Migration } from "../migrate.ts";

const first: Migration = (connection) =>
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

/** What triggers have fired. */
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

/** Who has paused a trigger, and when. */
const pausing: Migration = (connection) =>
  connection.exec(`
    ALTER TABLE file.triggers ADD COLUMN paused_by TEXT;
    ALTER TABLE file.triggers ADD COLUMN paused_at INTEGER;
  `);

/**
 * The index of runs has a file of its own. Its old table stays: a process of the version before that still drives a run
 * writes there how it ended.
 */
const indexMoved: Migration = () => {};

/** From this version on the index is not in state.db. */
export const INDEX_MOVED = 4;

/** What waits for a person, found without reading what was settled long ago. */
const unsettled: Migration = (connection) =>
  connection.exec(`
    CREATE INDEX IF NOT EXISTS file.gates_open ON gates (run_id) WHERE answer IS NULL AND closed = 0;
    CREATE INDEX IF NOT EXISTS file.letters_by_status ON letters (status, last_seen);
  `);

/** Limits on calls to models. */
const limits: Migration = (connection) =>
  connection.exec("CREATE TABLE IF NOT EXISTS file.limits (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;");

export const STATE_MIGRATIONS: readonly Migration[] = [first, triggers, pausing, indexMoved, unsettled, limits];
