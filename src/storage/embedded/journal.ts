// A run's journal.db: made whole or not at all, opened for driving or for reading. And the lease in it, one row, changed only
// under the write lock: of two processes that come at once one gets it.
import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LeaseHolder, ProcessIdentity } from "../liveness.ts";
import { syncFolder, touchPrivate } from "../private-files.ts";
import { isoTime } from "../rows/columns.ts";
import type { Durability, RunMeta } from "../run-reader.ts";
import { type Connection, immediately } from "../sqlite/connection.ts";
import { openFile, openKeeper } from "../sqlite/open.ts";
import { LeaseHeld, StoreError } from "../store-error.ts";
import { type Migration, migrate, openTables, orClosed, requireVersion, withTables } from "./database-file.ts";
import { isSame, type Observation } from "./liveness.ts";

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

/** A long output may be named by the events in which it was printed (see rows/batch.ts). */
const third: Migration = () => {};

export const JOURNAL_MIGRATIONS: readonly Migration[] = [first, second, third];

const BUSY_MS = 5000;

export const journalPath = (folder: string): string => join(folder, "journal.db");

/**
 * Pages that gather in the log before SQLite carries them over into the journal and begins the log anew. That takes
 * flushes, even where crashes of the process are all that counts: there it is done seldom (SQLite's default is 1000).
 * Where every step is flushed, a log that is written over is flushed in little more than half the time of one that
 * grows: there it is done often.
 */
const LOG_PAGES: Readonly<Record<Durability, number>> = { process: 8000, power: 500 };

/** A row is appended at a time, and a commit writes whole pages: small ones are less to write, and a short run is small. */
const PAGE_BYTES = 1024;

/** What a row held before is not left on a page, from the first row on: a tree that grows moves rows, and leaves copies of them. */
const SETTINGS = "PRAGMA file.secure_delete=ON";

const writingAs = (durability: Durability): string =>
  `PRAGMA file.synchronous=${durability === "power" ? "FULL" : "NORMAL"};PRAGMA file.wal_autocheckpoint=${LOG_PAGES[durability]}`;

/**
 * Closing a journal as its last user empties its log into it, with two flushes: as much time as all the rest of a short
 * run. Where only crashes of the process count the log may stay; the next reader has more time. A connection that cannot
 * write keeps the other from being the last, and does nothing when it is closed itself.
 */
function leavingLog(connection: Connection, path: string): Connection {
  return {
    exec: (sql) => connection.exec(sql),
    prepare: (sql) => connection.prepare(sql),
    close: () => {
      const keeper = openKeeper(path);
      connection.close();
      keeper?.close();
    },
  };
}

export interface DrivenJournal {
  readonly connection: Connection;
  readonly meta: RunMeta;
  readonly lease: TakenLease;
  /** Its log was empty when it was opened: it was closed for good. */
  readonly isFolded: boolean;
  /** Closes it for good, with its log folded into it. Nothing of a run that is done would be done again: only `power` waits for the disk. */
  closeFolded(): void;
}

function closingAs(
  durability: Durability,
  connection: Connection,
  path: string,
): Pick<DrivenJournal, "connection" | "closeFolded"> {
  const closeFolded = (): void => {
    if (durability === "process") connection.exec("PRAGMA file.synchronous=OFF");
    connection.close();
  };
  return { connection: durability === "power" ? connection : leavingLog(connection, path), closeFolded };
}

export function createJournal(folder: string, meta: RunMeta, taking: Taking): DrivenJournal {
  const path = journalPath(folder);
  touchPrivate(path);
  return orClosed(openFile(path, { busyMs: BUSY_MS, settings: SETTINGS }), (connection) => {
    // An empty file has nothing to lose: it is flushed from the start only when power cuts count.
    if (meta.durability === "process") connection.exec("PRAGMA file.synchronous=OFF");
    connection.exec(`PRAGMA file.page_size=${PAGE_BYTES};PRAGMA file.journal_mode=WAL`);
    const lease = immediately(connection, () => {
      for (const step of JOURNAL_MIGRATIONS) step(connection);
      connection.exec(`PRAGMA file.user_version=${JOURNAL_MIGRATIONS.length}`);
      connection.prepare("INSERT INTO meta VALUES ('run', ?)").run([JSON.stringify(meta)]);
      return takeLease(connection, meta.runId, taking);
    });
    connection.exec(writingAs(meta.durability));
    // SQLite flushes its files; that they are there at all is written in the folders.
    if (meta.durability === "power") for (const place of [folder, dirname(folder)]) syncFolder(place);
    return { ...closingAs(meta.durability, connection, path), meta, lease, isFolded: false };
  });
}

/** Nothing is left of the journal, though the copy beside it says what happened. Taken for a run that never began, it would run every step again. */
function requireSomething(connection: Connection, folder: string, path: string): void {
  const copy = join(folder, "events.jsonl");
  if ((statSync(copy, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const table = connection.prepare("SELECT 1 FROM file.sqlite_schema WHERE name = 'batches'").get([]);
  if (table && connection.prepare("SELECT 1 FROM file.batches LIMIT 1").get([])) return;
  throw new StoreError(
    "corrupt",
    `${path} holds nothing of the run any more: its log (journal.db-wal) was damaged or removed. What happened is in ${copy}. The run cannot be resumed; nothing was changed.`,
    path,
  );
}

/** A journal is made in one transaction: without a word on which run it is of, that was never finished, and nothing ran. */
export function isUnmade(folder: string): boolean {
  const path = journalPath(folder);
  if ((statSync(join(folder, "events.jsonl"), { throwIfNoEntry: false })?.size ?? 0) > 0) return false;
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return !existsSync(`${path}-wal`);
  return withTables(path, {}, (connection) => {
    const table = connection.prepare("SELECT 1 FROM file.sqlite_schema WHERE name = 'meta'").get([]);
    return !table || !connection.prepare("SELECT 1 FROM file.meta WHERE key = 'run'").get([]);
  });
}

export function readMeta(connection: Connection, path: string): RunMeta {
  const row = connection.prepare<{ value: string }>("SELECT value FROM meta WHERE key = 'run'").get([]);
  const meta = row && (JSON.parse(row.value) as RunMeta | null);
  if (meta && [meta.runId, meta.workflow, meta.file, meta.durability].every((one) => typeof one === "string"))
    return meta;
  throw new StoreError("corrupt", `${path} does not say which run it is of. Nothing can be read from it.`, path);
}

/** Opens a journal for driving, and takes its lease: throws `LeaseHeld` when another process has it. */
export function driveJournal(folder: string, taking: Taking): DrivenJournal {
  const path = journalPath(folder);
  const isFolded = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
  return orClosed(openTables(path, { busyMs: BUSY_MS, mustExist: true, settings: SETTINGS }), (connection) => {
    requireSomething(connection, folder, path);
    migrate(connection, JOURNAL_MIGRATIONS, path);
    const meta = readMeta(connection, path);
    connection.exec(writingAs(meta.durability));
    const lease = immediately(connection, () => takeLease(connection, meta.runId, taking));
    return { ...closingAs(meta.durability, connection, path), meta, lease, isFolded };
  });
}

export function inJournal<Result>(folder: string, look: (connection: Connection) => Result): Result {
  const connection = readJournal(folder);
  try {
    return look(connection);
  } finally {
    connection.close();
  }
}

export function readJournal(folder: string): Connection {
  const path = journalPath(folder);
  return orClosed(openTables(path, { busyMs: BUSY_MS, mustExist: true, readOnly: true }), (connection) => {
    requireSomething(connection, folder, path);
    requireVersion(connection, JOURNAL_MIGRATIONS, path);
    return connection;
  });
}

/** The process that has the lease, dead or alive. */
export function leaseHolder(connection: Connection): LeaseHolder | undefined {
  type LeaseRow = ProcessIdentity & { readonly since: number; readonly heard: number };
  const row = connection.prepare<LeaseRow>("SELECT host, pid, start, since, heard FROM lease").get([]);
  if (!row) return undefined;
  const { host, pid, start, since, heard } = row;
  return { host, pid, start, since: isoTime(since), heard: isoTime(heard) };
}

interface TakenLease {
  readonly token: string;
  /** The process that had it before: dead, or replaced by `takeOver`. */
  readonly takenOver?: LeaseHolder;
}

export interface Taking {
  readonly who: ProcessIdentity;
  readonly now: number;
  /** What is known of the process that has the lease. */
  readonly observe: (holder: LeaseHolder) => Observation;
  /** Also takes the lease from another process that is alive: the caller asked for it. */
  readonly takeOver?: boolean;
}

/** Takes the lease, or throws `LeaseHeld`. Must be called inside a transaction. */
function takeLease(connection: Connection, runId: string, { who, now, observe, takeOver }: Taking): TakenLease {
  const holder = leaseHolder(connection);
  if (holder && (!takeOver || isSame(holder, who))) {
    const seen = observe(holder);
    if (seen.is !== "dead") throw new LeaseHeld(runId, holder, seen.is === "watched" ? seen.leftMs : undefined);
  }
  const token = randomBytes(8).toString("hex");
  connection
    .prepare("INSERT OR REPLACE INTO lease (only, host, pid, start, since, heard, token) VALUES (1, ?, ?, ?, ?, ?, ?)")
    .run([who.host, who.pid, who.start, now, now, token]);
  return holder ? { token, takenOver: holder } : { token };
}

/** Whether the lease was still ours, and is marked as such: always with another time than before, which is what others watch. */
export const renewLease = (connection: Connection, token: string, now: number): boolean =>
  connection.prepare("UPDATE lease SET heard = ? + (heard = ?) WHERE token = ?").run([now, now, token]) === 1;

export const hasLease = (connection: Connection, token: string): boolean =>
  connection.prepare("SELECT 1 FROM lease WHERE token = ?").get([token]) !== undefined;

export function freeLease(connection: Connection, token: string): void {
  connection.prepare("DELETE FROM lease WHERE token = ?").run([token]);
}
