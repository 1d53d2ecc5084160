// What runs share, in Postgres, for all machines of a fleet; and what of it is written together with a run's drive.
import { createHmac } from "node:crypto";
import { type Seal, UNSEALED } from "../../state/seal.ts";
import { type KeyForms, known, raw, type StateHost, sql } from "../../state/sql.ts";
import { type SharedTables, sharedTables } from "../../state/tables.ts";
import { asked, type Database, doneIn, type Queries } from "../database.ts";
import { DATABASE_NOW } from "../database-clock.ts";
import { comparedKeys, keptKey, keyKept } from "../kept-key.ts";
import type { FleetMembers } from "../members.ts";
import { requireFleetsSeal } from "../sealed-fleet.ts";
import { RunIndexTable } from "./run-index.ts";

export interface PostgresStateOptions {
  readonly database: Database;
  readonly members: FleetMembers;
  readonly seal: Seal;
  readonly now: () => number;
  /** Of digests: what is sealed, and yet has to be compared. */
  readonly hashKey: string;
}

const keysWith = (seal: Seal): KeyForms => ({
  kept: (key) => keptKey(key, seal),
  compared: (key) => comparedKeys(key, seal),
  keyOf: (kept) => keyKept(kept, seal),
});

/** The tables are named as they were first; questions stand with their answers. */
const tableNamed = (name: string) => raw(`segno.${name === "gates" ? "answers" : name}`);

function hostOf({ database, members, seal, now, hashKey }: PostgresStateOptions): StateHost {
  return {
    isFleet: true,
    do: (work) => doneIn(database, work()),
    transaction: (work) => database.transaction((queries) => doneIn(queries, work())),
    both: async (one, other) => {
      await asked(database, { statement: sql`with one as (${one}) ${other}`, gives: "count" });
    },
    *lock(what) {
      yield { statement: sql`select pg_advisory_xact_lock(hashtextextended(${what}, 0))`, gives: "rows" };
    },
    forUpdate: raw(" for update"),
    living: () =>
      known(sql`segno.lives(owner, coalesce(${members.clock}::bigint, ${raw(DATABASE_NOW)}), ${members.silenceMs})`),
    self: () => members.self(),
    now,
    table: tableNamed,
    among: (value, values) => sql`${value} = any(${values}::text[])`,
    each: (values) => sql`unnest(${values}::text[]) as each (value)`,
    pairs: (pairs) =>
      sql`unnest(${pairs.map(([id]) => id)}::text[], ${pairs.map(([, text]) => text)}::text[]) as kept (id, text)`,
    seal,
    keys: keysWith(seal),
    names: keysWith(UNSEALED),
    digest: (text) => createHmac("sha256", hashKey).update(text).digest("hex"),
    readable: (...rows) => database.leftOut.readable(...rows),
  };
}

export type PostgresState = SharedTables & { readonly runs: RunIndexTable; readonly liveness: FleetMembers };

export function sharedState(options: PostgresStateOptions): PostgresState {
  const { database, members, seal } = options;
  const tables = sharedTables(hostOf(options), {
    // A process that drives triggers with another key would record firings that no worker can start.
    recording: (work) =>
      database.transaction(async (queries) => {
        await requireFleetsSeal(queries, members, seal);
        return doneIn(queries, work());
      }),
    madeRun: () => known(raw("exists (select 1 from segno.runs r where r.run_id = firings.run_id)")),
  });
  return { ...tables, runs: new RunIndexTable(database, members), liveness: members };
}

/** No process has these letters any more: how the run's drive stands says whether they are being retried. */
export const leaveToDrive = (queries: Queries, seal: Seal, runId: string, places: readonly string[]): Promise<number> =>
  queries.run("update segno.letters set owner = null where run_id = $1 and place = any($2::text[])", [
    runId,
    places.flatMap((place) => comparedKeys(place, seal)),
  ]);
