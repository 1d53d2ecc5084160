// Removes runs with all that belongs to them; never one that is driven or placed.
import type { Database } from "./database.ts";
import { TABLES } from "./dbos.ts";
import { type FleetMembers, nowAt } from "./members.ts";
import { removeUnneededCopies, removeUnpinned } from "./sources.ts";

const OF_A_RUN = [
  "events",
  "blobs",
  "secrets",
  "answers",
  "leases",
  "lacks",
  "run_facts",
  "running",
  "spreads",
  "branches",
  "claims",
  "runs",
];

const AT_A_TIME = 200;

export async function removeRunsOf(
  database: Database,
  members: FleetMembers,
  runIds: readonly string[],
  failed: (runId: string, message: string) => void = () => {},
): Promise<readonly string[]> {
  const gone: string[] = [];
  for (let from = 0; from < runIds.length; from += AT_A_TIME) {
    const some = runIds.slice(from, from + AT_A_TIME);
    try {
      gone.push(...(await remove(database, members, some)));
    } catch {
      // One of them: the others go all the same.
      for (const runId of some)
        try {
          gone.push(...(await remove(database, members, [runId])));
        } catch (problem) {
          failed(runId, problem instanceof Error ? problem.message : String(problem));
        }
    }
  }
  if (gone.length > 0) {
    await removeUnneededCopies(database);
    await database.run("delete from segno.run_changes where removed and at < clock_timestamp() - interval '1 hour'");
  }
  return gone;
}

/**
 * Ids of workflows begin with that of their run. Compared as a range, which an index answers; whatever the order of letters
 * is in the database, they stand between the id and the next one. The other condition leaves out what else stands there;
 * as an equation, Postgres would read the whole table to answer it.
 */
const ofRuns = (table: string): string =>
  `delete from ${table} s using unnest($1::text[], $2::text[]) r (run_id, after)
   where s.workflow_uuid >= r.run_id and s.workflow_uuid < r.after and starts_with(s.workflow_uuid, r.run_id || ':')`;

/** Later than every text that begins with the id: its last character that has a next one is that. */
export function afterId(runId: string): string {
  for (let at = runId.length - 1; at >= 0; at--) {
    const character = runId[at] as string;
    if (/[0-8A-Ya-y]/.test(character))
      return `${runId.slice(0, at)}${String.fromCharCode(character.charCodeAt(0) + 1)}`;
    if (character === "9") return `${runId.slice(0, at)}A`;
  }
  return "zzzzzzzz";
}

/** Looked at under a lock: a drive of it may have been placed, or begun, since it was chosen. */
const remove = (database: Database, members: FleetMembers, runIds: readonly string[]): Promise<readonly string[]> =>
  database.transaction(async (sql) => {
    // What is expected of a range of ids is far too much: to compile the statements for it took most of the time.
    await sql.run("set local jit = off");
    const rows = await sql.rows<{ run_id: string }>(
      `select run_id from segno.runs r where run_id = any($1::text[]) and drive_ended and not exists (
         select 1 from segno.leases l where l.run_id = r.run_id and segno.lives(l.holder, ${nowAt(2)}, $3)
       ) order by run_id for update of r`,
      [runIds, members.clock, members.silenceMs],
    );
    const free = new Set(rows.map(({ run_id }) => run_id));
    const gone = runIds.filter((runId) => free.has(runId));
    if (gone.length === 0) return gone;
    const pins = await sql.rows<{ hash: string }>(
      "with gone as (delete from segno.pins where run_id = any($1::text[]) returning hash) select distinct hash from gone",
      [gone],
    );
    await removeUnpinned(
      sql,
      pins.map(({ hash }) => hash),
    );
    for (const table of OF_A_RUN) await sql.run(`delete from segno.${table} where run_id = any($1::text[])`, [gone]);
    for (const table of TABLES) await sql.run(ofRuns(table), [gone, gone.map(afterId)]);
    return gone;
  });
