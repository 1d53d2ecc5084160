// A caller that has none of a fleet's keys must not place anything on it: the workers could not open it. And one
// that cannot open a run may not change it: it could not read the result either.
import { KEY_ID_LENGTH, keyProblem, MARK, type Seal, sealingKey } from "../../../storage/state/seal.ts";
import { first, numbered, raw, type Sql, sql } from "../../../storage/state/sql.ts";
import { isUnreadable, type StoreError } from "../../../storage/store-error.ts";
import { doneIn, type Queries } from "./database.ts";
import { type FleetMembers, isHeard, labelsOf } from "./members.ts";
import { NEEDED_BY_PIN } from "./sources.ts";

/** Looked for as text: labels that are no JSON would end the query. Within a value its quotes would be escaped. */
const isSaid = (label: string): string => `position('${label}' in labels) > 0`;

/** What a worker without a key says of itself. */
const NO_KEYS = '"keys":[]';

/** Throws when what is sealed here cannot be read by the fleet. */
export const requireFleetsSeal = (sql: Queries, members: FleetMembers, seal: Seal): Promise<void> =>
  seal.isSealed ? requireKnownKey(sql, members, seal) : requireUnsealed(sql, members);

/** Its workers say so, and so does its newest run where none is there that has no key. */
function isSealed({ clock, silenceMs }: FleetMembers): Sql {
  const isThere = numbered(`not dead and ${isHeard(1, 2)} and ${isSaid('"kind":"worker"')}`, [clock, silenceMs]);
  return sql`(not exists (select 1 from segno.workers where ${isThere} and ${raw(isSaid(NO_KEYS))}) and (
    exists (select 1 from segno.workers where ${isThere} and ${raw(isSaid('"sealed":true'))})
    or coalesce((
      select starts_with(request, ${MARK}) from segno.runs where request is not null order by placed_at desc limit 1
    ), false)))`;
}

/** That what is not sealed can be read by the fleet, as a condition: for a statement that would have to ask for it first. */
export const takesUnsealed = (members: FleetMembers): Sql => sql`not ${isSealed(members)}`;

async function requireUnsealed(queries: Queries, members: FleetMembers): Promise<void> {
  const fleet = await doneIn(queries, first<{ sealed: boolean }>(sql`select ${isSealed(members)} as sealed`));
  if (!fleet?.sealed) return;
  throw keyProblem(
    "This fleet is sealed, and SEGNO_SEAL_KEY is not set here: its workers use nothing that is not sealed, and what they record could not be read here. Nothing was placed. Set it to the key that the workers have.",
  );
}

/** One known key is enough: a caller that also has an old one may bring a new one. Where nothing is recorded yet, the first caller decides. */
async function requireKnownKey(sql: Queries, members: FleetMembers, { keyIds }: Seal): Promise<void> {
  const isOurs = (key: string | null): boolean => key !== null && keyIds.includes(key);
  const workers = await sql.rows<{ labels: string }>(
    `select labels from segno.workers where not dead and ${isHeard(1, 2)} and ${isSaid('"kind":"worker"')}`,
    [members.clock, members.silenceMs],
  );
  if (workers.some(({ labels }) => labelsOf(labels)?.keys?.some(isOurs))) return;
  const keysOfRuns = await recordedKeys(sql);
  if (keysOfRuns.some(isOurs)) return;
  const recorded = keysOfRuns.filter((key) => key !== null);
  const isWithoutKey = keysOfRuns.includes(null) || workers.some(({ labels }) => labels.includes(NO_KEYS));
  if (recorded.length === 0 && isWithoutKey) throw unsealedFleet();
  if (recorded.length === 0) return;
  const [keys, which] = recorded.length === 1 ? ["key", "That key is"] : ["keys", "Those keys are"];
  throw keyProblem(
    `What this fleet records is sealed with the ${keys} ${recorded.join(", ")}, and SEGNO_SEAL_KEY here has ${keyIds.join(", ")}: its workers could not read what comes from here. Nothing was placed. ${which} the one to set; a new key goes before it, with a comma between.`,
  );
}

const unsealedFleet = (): StoreError =>
  keyProblem(
    "This fleet has no key, and SEGNO_SEAL_KEY is set here: its workers could not read what comes from here. Nothing was placed. Place it without SEGNO_SEAL_KEY, or give the fleet this key first: start workers that have it, and stop those that have none when their runs have ended.",
  );

/** Throws when neither the newest run nor any other can be read here. A single run with another key is left to workers that have it. */
export async function requireReadable(sql: Queries, seal: Seal): Promise<void> {
  const [newest] = await sql.rows<{ run_id: string; request: string }>(
    "select run_id, request from segno.runs where request is not null order by placed_at desc limit 1",
  );
  if (!newest) return;
  try {
    seal.open(newest.request, [newest.run_id, "request"]);
  } catch (problem) {
    if (!isUnreadable(problem)) return;
    const canRead = (key: string | null): boolean => (key === null ? !seal.isSealed : seal.keyIds.includes(key));
    if (!(await recordedKeys(sql)).some(canRead)) throw problem;
  }
}

/** Ids of the keys that runs were placed with; null of those that were placed without one. */
async function recordedKeys(sql: Queries): Promise<readonly (string | null)[]> {
  // From one beginning to the next in their index: there are few, and reading every run to find them took as long as there were runs.
  const beginning = `left(request, ${MARK.length + KEY_ID_LENGTH})`;
  const next = (after: string): string =>
    `(select ${beginning} from segno.runs where request is not null ${after} order by ${beginning} limit 1)`;
  const rows = await sql.rows<{ beginning: string }>(
    `with recursive beginnings as (select ${next("")} as beginning union all
       select ${next(`and ${beginning} > b.beginning`)} from beginnings b where b.beginning is not null)
     select beginning from beginnings where beginning is not null`,
  );
  return [...new Set(rows.map((row) => (row.beginning.startsWith(MARK) ? sealingKey(row.beginning) : null)))];
}

/** Throws when something of the run is sealed with a key that is not here, or nothing is and there is a key. A mix is for the reader to detect. */
export async function requireOwnRun(sql: Queries, seal: Seal, runId: string): Promise<void> {
  const { isSealed, keyIds } = seal;
  const rows = await sql.rows<{ beginning: string }>(
    `select distinct left(recorded, $2::int) as beginning from (
       select request as recorded from segno.runs where run_id = $1 and request is not null
       union all select data from segno.events where run_id = $1
     ) run order by beginning`,
    [runId, MARK.length + KEY_ID_LENGTH],
  );
  const keys = new Set(rows.flatMap(({ beginning }) => sealingKey(beginning) ?? []));
  const missing = [...keys].filter((key) => !keyIds.includes(key));
  if (missing.length > 0) {
    const [which, todo] = missing.length === 1 ? ["key", "that key"] : ["keys", "those keys"];
    const here = isSealed ? `SEGNO_SEAL_KEY has ${keyIds.join(", ")}` : "SEGNO_SEAL_KEY is not set here";
    throw notOwn(
      `The run ${runId} is sealed with the ${which} ${missing.join(", ")}, and ${here}`,
      isSealed ? `Add ${todo}, with a comma between.` : `Set it to ${todo}.`,
    );
  }
  if (isSealed && keys.size === 0 && rows.length > 0)
    throw notOwn(`The run ${runId} is not sealed, and SEGNO_SEAL_KEY is set here`, "Ask without SEGNO_SEAL_KEY.");
}

const notOwn = (why: string, todo: string): StoreError =>
  keyProblem(`${why}: who cannot open a run cannot stop it. Nothing was asked of it. ${todo}`);

/** All that a run is made of: while keys are changed, workers with either go on with it in any order. */
const SEALED_OF_RUNS = [
  ...["events", "blobs", "secrets"].map((table) => ({ table, column: "data" })),
  ...["request", "ending"].map((column) => ({ table: "runs", column })),
  ...["question", "answer"].map((column) => ({ table: "answers", column })),
  { table: "letters", column: "body" },
  ...["name", "figures"].map((column) => ({ table: "run_facts", column })),
];

/** How many runs need each key. Looks at every row: for who asks before a key is given up. */
export async function keysInUse(sql: Queries): Promise<ReadonlyMap<string, number>> {
  const sealed = SEALED_OF_RUNS.map(
    ({ table, column }) => `select run_id, left(${column}, $2::int) as beginning from segno.${table}`,
  );
  const rows = await sql.rows<{ beginning: string; runs: string }>(
    `select beginning, count(distinct run_id) as runs from (
       ${sealed.join(" union all ")}
       union all select p.run_id, $1 || s.key from segno.pins p join segno.sources s on ${NEEDED_BY_PIN}
     ) sealed where starts_with(beginning, $1) and length(beginning) = $2::int group by beginning order by beginning`,
    [MARK, MARK.length + KEY_ID_LENGTH],
  );
  return new Map(
    rows.flatMap(({ beginning, runs }) => {
      const key = sealingKey(beginning);
      return key === null ? [] : [[key, Number(runs)]];
    }),
  );
}

/** How many runs stand in the database as they are, by what was asked of them; by their first events where a command drove them. */
export async function runsInClear(sql: Queries): Promise<number> {
  const [row] = await sql.rows<{ runs: string }>(
    `select count(*) as runs from segno.runs r where not starts_with(coalesce(request,
       (select data from segno.events e where e.run_id = r.run_id order by first_seq limit 1), $1), $1)`,
    [MARK],
  );
  return Number(row?.runs ?? 0);
}
