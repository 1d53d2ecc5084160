// state.db: what runs share, and beside it the index of runs. Rollback-journal mode, because many processes write it, seldom and briefly.
import { join } from "node:path";
import { guarded } from "../../files/guarded.ts";
import { touchPrivate } from "../../files/private-files.ts";
import type { Firings } from "../../firings.ts";
import type {
  Gates,
  Letters,
  NamedStates,
  OutcomeTable,
  RunningSteps,
  SharedState,
  Slots,
} from "../../shared-state.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { patiently, SHORT_WAIT_MS } from "../../sqlite/patience.ts";
import { immediately } from "../../sqlite/transaction.ts";
import { cacheTable } from "../../state/cache.ts";
import { firingTable } from "../../state/firings.ts";
import { gateTable } from "../../state/gates.ts";
import { letterTable } from "../../state/letters.ts";
import { namedStateTable } from "../../state/named-states.ts";
import { runningTable } from "../../state/running.ts";
import { slotTable } from "../../state/slots.ts";
import { raw, rows, type Sync, sql } from "../../state/sql.ts";
import { guardedConnection } from "../guarded-connection.ts";
import { makeHome } from "../home-folder.ts";
import { migrate } from "../migrate.ts";
import type { Observer } from "../observer.ts";
import { openTables } from "../open-tables.ts";
import { openIndex } from "./index-db.ts";
import { Owners } from "./owners.ts";
import { RunIndexTable } from "./run-index.ts";
import { sqliteState } from "./sqlite-state.ts";
import { INDEX_MOVED, STATE_MIGRATIONS } from "./state-schema.ts";

export interface StateDb extends SharedState {
  readonly runs: RunIndexTable;
  readonly breakers: Sync<NamedStates>;
  readonly limits: Sync<NamedStates>;
  readonly letters: Sync<Letters>;
  readonly cache: Sync<OutcomeTable>;
  readonly gates: Sync<Gates>;
  readonly slots: Sync<Slots>;
  readonly running: Sync<RunningSteps>;
  readonly firings: Sync<Firings>;
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
  const host = sqliteState(connection, owners, now);
  return {
    runs,
    breakers: answered(namedStateTable(host, "breakers")),
    limits: answered(namedStateTable(host, "limits")),
    letters: answered(letterTable(host)),
    cache: answered(cacheTable(host)),
    gates: answered(gateTable(host)),
    slots: answered(slotTable(host)),
    running: answered(runningTable(host)),
    firings: answered(
      firingTable(host, {
        recording: host.transaction,
        // The index of runs is in another file.
        *madeRun(failed) {
          const found = yield* rows<{ run_id: string }>(sql`select run_id from ${failed}`);
          const made = found.map(({ run_id }) => run_id).filter((runId) => runs.get(runId) !== undefined);
          return host.among(raw("run_id"), made);
        },
      }),
    ),
    liveness: owners,
    atOnce: (work) => immediately(connection, () => immediately(index, work)),
    close: () => {
      owners.close();
      connection.close();
      index.close();
    },
  };
}

/** Its host has done everything when it returns. */
const answered = <Table>(table: Table): Sync<Table> => table as Sync<Table>;
