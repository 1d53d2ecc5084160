// What runs share, in Postgres, for all machines of a fleet; and the keys of its rows, as Postgres can hold them.
import { createHash, createHmac } from "node:crypto";
import { DIGEST, keptText, textKept } from "../../../storage/rows/columns.ts";
import { MARK, type Seal, UNSEALED } from "../../../storage/state/seal.ts";
import { type KeptKey, type KeyForms, known, raw, type StateHost, sql } from "../../../storage/state/sql.ts";
import { type SharedTables, sharedTables } from "../../../storage/state/tables.ts";
import { ChangedInDatabase } from "../../../storage/store-error.ts";
import { DATABASE_NOW } from "./connection.ts";
import { asked, doneIn, type Queries } from "./database.ts";
import type { FleetMembers } from "./members.ts";
import type { StoreAccess } from "./reader.ts";
import { RunIndexTable } from "./run-index.ts";
import { requireFleetsSeal } from "./sealed-fleet.ts";

const keysWith = (seal: Seal): KeyForms => ({
  kept: (key) => keptKey(key, seal),
  compared: (key) => comparedKeys(key, seal),
  keyOf: (kept) => keyKept(kept, seal),
});

/** The tables are named as they were first; questions stand with their answers. */
const tableNamed = (name: string) => raw(`segno.${name === "gates" ? "answers" : name}`);

/** `hashKey`: of digests of what is sealed, and yet has to be compared. */
function hostOf({ database, members, seal }: StoreAccess, now: () => number, hashKey: string): StateHost {
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

export function sharedState(access: StoreAccess, now: () => number, hashKey: string): PostgresState {
  const { database, members, seal } = access;
  const tables = sharedTables(hostOf(access, now, hashKey), {
    // A process that drives triggers with another key would record firings that no worker can start.
    recording: (work) =>
      database.transaction(async (queries) => {
        await requireFleetsSeal(queries, members, seal);
        return doneIn(queries, work());
      }),
    madeRun: () => known(raw("exists (select 1 from segno.runs r where r.run_id = firings.run_id)")),
  });
  return { ...tables, runs: new RunIndexTable(database, members, seal), liveness: members };
}

/** No process has these letters any more: how the run's drive stands says whether they are being retried. */
export const leaveToDrive = (queries: Queries, seal: Seal, runId: string, places: readonly string[]): Promise<number> =>
  queries.run("update segno.letters set owner = null where run_id = $1 and place = any($2::text[])", [
    runId,
    places.flatMap((place) => comparedKeys(place, seal)),
  ]);

// A key may have any characters and any length, and Postgres takes no zero character, no half of a surrogate pair, and nothing
// long in an index. Plain short keys stand as they are, odd ones as JSON, and of long ones the index has a digest, with the
// whole beside it. On a sealed fleet the same holds for keys with an item's own key in them, which is data of the run: the
// digest needs the fleet's key, and the whole is sealed.

/** In bytes; two of them fit into one row of an index. */
const LONGEST = 1000;

const digestOf = (json: string): string => `${DIGEST}${createHash("sha256").update(json).digest("hex")}`;

/** An item that is not only counted. */
const NAMED_ITEM = /\[(?!\d{1,15}\])/;

const placeOf = (key: string): readonly string[] => ["key", key];

/** `seal`: of keys that have data of runs in them; a name out of a workflow file has none. */
export function keptKey(key: string, seal: Seal = UNSEALED): KeptKey {
  const compared = comparedKey(key, seal);
  if (!compared.startsWith(DIGEST)) return { key: compared, whole: null };
  return { key: compared, whole: seal.close(JSON.stringify(key), placeOf(compared)) };
}

/** What a new row has. */
export const comparedKey = (key: string, seal: Seal = UNSEALED): string => comparedKeys(key, seal)[0];

/** What a row may have, the newest form first: it may have been written under an earlier key, or by an older Segno. */
export function comparedKeys(key: string, seal: Seal): readonly [string, ...string[]] {
  const text = keptText(key);
  const plain = Buffer.byteLength(text) <= LONGEST ? text : digestOf(JSON.stringify(key));
  if (!seal.isSealed || !NAMED_ITEM.test(key)) return [plain];
  const [newest, ...older] = seal.digests(JSON.stringify(key), ["key"]).map((digest) => `${DIGEST}${digest}`);
  return newest === undefined ? [plain] : [newest, ...older, plain];
}

export function keyKept({ key, whole = null }: KeptKey, seal: Seal = UNSEALED): string {
  if (whole === null) return textKept(key);
  if (whole.startsWith(MARK)) return JSON.parse(seal.open(whole, placeOf(key))) as string;
  if (digestOf(whole) === key) return JSON.parse(whole) as string;
  throw new ChangedInDatabase(
    `A long key in the database (${key}) does not fit its digest: it was changed. Segno does not use it.`,
    key,
  );
}
