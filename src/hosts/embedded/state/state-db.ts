// state.db: what runs share, and beside it the index of runs. Rollback-journal mode, because many processes write it, seldom and briefly.
import { join } from "node:path";
import { guarded } from "../../files/guarded.ts";
import { touchPrivate } from "../../files/private-files.ts";
import type { OutcomeTable, SharedState } from "../../shared-state.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { patiently, SHORT_WAIT_MS } from "../../sqlite/patience.ts";
import { immediately } from "../../sqlite/transaction.ts";
import { guardedConnection } from "../guarded-connection.ts";
import { makeHome } from "../home-folder.ts";
import { migrate } from "../migrate.ts";
import type { Observer } from "../observer.ts";
import { openTables } from "../open-tables.ts";
import { FiringTable } from "./firings.ts";
import { GateTable } from "./gates.ts";
import { openIndex } from "./index-db.ts";
import { LetterTable } from "./letters.ts";
import { NamedStateTable } from "./named-states.ts";
import { Owners } from "./owners.ts";
import { RunIndexTable } from "./run-index.ts";
import { RunningTable } from "./running.ts";
import { SlotTable } from "./slots.ts";
import { INDEX_MOVED, STATE_MIGRATIONS } from "./state-schema.ts";

export interface StateDb extends SharedState {
  readonly runs: RunIndexTable;
  readonly breakers: NamedStateTable;
  readonly limits: NamedStateTable;
  readonly letters: LetterTable;
  readonly cache: CacheTable;
  readonly gates: GateTable;
  readonly slots: SlotTable;
  readonly running: RunningTable;
  readonly firings: FiringTable;
  readonly liveness: Owners;
  /** Several changes as one, for work that touches many rows. */
  atOnce<Result>(work: () => Result): Result;
  close(): void;
}

export const statePath = (home: string): string => join(home, "state.db");

const DOING = "using what runs share";

export interface StateOptions {
  readonly now: () => number;
  readonly observer: Observer;
  readonly busyMs?: number;
}

/**
 * `TRUNCATE` spares making and removing a file with each commit. `NORMAL` flushes: unlike the journals, which are many,
 * this one file holds the dead letters of all runs, and a power cut must not tear it. `secure_delete`: questions may hold
 * secrets of a run, and what is removed is not to stay on a page that is free.
 */
const SETTINGS = "PRAGMA file.journal_mode=TRUNCATE; PRAGMA file.synchronous=NORMAL; PRAGMA file.secure_delete=ON";

function openState(home: string, patienceMs: number): Connection {
  const path = statePath(home);
  return guarded(DOING, path, () => {
    makeHome(home);
    touchPrivate(path);
    const opened = patiently(patienceMs, () => openTables(path, { busyMs: SHORT_WAIT_MS, settings: SETTINGS }));
    const connection = guardedConnection(opened, { doing: DOING, path, patienceMs });
    try {
      migrate(connection, STATE_MIGRATIONS, path);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

function stateBeside(index: Connection, home: string, patienceMs: number): Connection {
  try {
    return openState(home, patienceMs);
  } catch (error) {
    index.close();
    throw error;
  }
}

export function openStateDb(home: string, { now, observer, busyMs = 10_000 }: StateOptions): StateDb {
  const index = openIndex(home, {
    patienceMs: busyMs,
    state: { path: statePath(home), version: INDEX_MOVED },
  });
  const connection = stateBeside(index, home, busyMs);
  const owners = new Owners(connection, observer, now);
  const runs = new RunIndexTable(index);
  return {
    runs,
    breakers: new NamedStateTable(connection, "breakers"),
    limits: new NamedStateTable(connection, "limits"),
    letters: new LetterTable(connection, owners, now),
    cache: new CacheTable(connection, now),
    gates: new GateTable(connection, now),
    slots: new SlotTable(connection, owners),
    running: new RunningTable(connection, owners),
    firings: new FiringTable(connection, owners, { now, isRun: (runId) => runs.get(runId) !== undefined }),
    liveness: owners,
    atOnce: (work) => immediately(connection, () => immediately(index, work)),
    close: () => {
      owners.close();
      connection.close();
      index.close();
    },
  };
}

/** Outcomes of steps with `cache:`, shared by all runs and found by hash. */
class CacheTable implements OutcomeTable {
  readonly #connection: Connection;
  readonly #now: () => number;

  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
  }

  /** What is kept under the hash, in a box: a kept `null` differs from nothing. */
  get(hash: string, now: number = this.#now()): { readonly value: unknown } | undefined {
    const row = this.#connection
      .prepare<{ value: string }>("SELECT value FROM cache WHERE hash = ? AND (expires IS NULL OR expires > ?)")
      .get([hash, now]);
    return row && { value: JSON.parse(row.value) as unknown };
  }

  /** Keeps a value, for `ttl` milliseconds or for good, and drops what has run out. */
  put(hash: string, value: unknown, { ttl }: { readonly ttl?: number } = {}): void {
    const now = this.#now();
    immediately(this.#connection, () => {
      this.#connection.prepare("DELETE FROM cache WHERE expires <= ?").run([now]);
      this.#connection
        .prepare("INSERT OR REPLACE INTO cache (hash, expires, value) VALUES (?, ?, ?)")
        .run([hash, ttl === undefined ? null : now + ttl, JSON.stringify(value)]);
    });
  }
}
