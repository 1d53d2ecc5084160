// state.db: what runs share, and beside it the index of runs. Rollback-journal mode, because many processes write it, seldom and briefly.
import { join } from "node:path";
import type { Connection } from "../../sqlite/connection.ts";
import { immediately } from "../../sqlite/transaction.ts";
import { raw, rows, sql } from "../../state/sql.ts";
import { type SyncTables, sharedTables } from "../../state/tables.ts";
import type { Observer } from "../observer.ts";
import { openIndex, openShared } from "./index-db.ts";
import { Owners } from "./owners.ts";
import { RunIndexTable } from "./run-index.ts";
import { sqliteState } from "./sqlite-state.ts";
import { INDEX_MOVED, STATE_MIGRATIONS } from "./state-schema.ts";

export interface StateDb extends SyncTables {
  readonly runs: RunIndexTable;
  readonly liveness: Owners;
  /** Several changes as one, for work that touches many rows. */
  atOnce<Result>(work: () => Result): Result;
  close(): void;
}

export const statePath = (home: string): string => join(home, "state.db");

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

const openState = (home: string, patienceMs: number): Connection =>
  openShared(home, statePath(home), {
    ...{ doing: "using what runs share", settings: SETTINGS, migrations: STATE_MIGRATIONS, patienceMs },
  });

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
