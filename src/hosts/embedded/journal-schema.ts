// The tables of a run's journal.db. A row of `batches` is what one call of `append` recorded (see batch.ts).
import type { Migration } from "./migrate.ts";

const first: Migration = (connection) =>
  connection.exec(`
    CREATE TABLE file.batches (first_seq INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE TABLE file.meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE file.lease (only INTEGER PRIMARY KEY, host TEXT, pid INTEGER, start TEXT, since INTEGER, heard INTEGER, token TEXT);
    CREATE TABLE file.sources (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE file.pins (drive INTEGER, path TEXT, hash TEXT NOT NULL, PRIMARY KEY (drive, path)) WITHOUT ROWID;
  `);

/** Rows say less twice (see batch.ts); those that are there stay as they are. */
const second: Migration = () => {};

/** A long output may be named by the events in which it was printed (see rows/printed-texts.ts). */
const third: Migration = () => {};

export const JOURNAL_MIGRATIONS: readonly Migration[] = [first, second, third];
