// Removes runs with all that belongs to them; never one that is driven or placed.
import type { Database } from "./database.ts";
import { type FleetMembers, nowAt } from "./members.ts";
import { removeUnneededSources } from "./sources.ts";

const OF_A_RUN = [
  "events",
  "blobs",
  "pins",
  "secrets",
  "answers",
  "leases",
  "lacks",
  "running",
  "spreads",
  "branches",
  "claims",
  "runs",
] as const;

export async function removeRunsOf(
  database: Database,
  members: FleetMembers,
  runIds: readonly string[],
  failed: (runId: string, message: string) => void = () => {},
): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const runId of runIds) {
    try {
      if (await remove(database, members, runId)) gone.push(runId);
    } catch (problem) {
      failed(runId, problem instanceof Error ? problem.message : String(problem));
    }
  }
  if (gone.length > 0) await removeUnneededSources(database);
  return gone;
}

/** Looked at under a lock: a drive of it may have been placed, or begun, since it was chosen. */
const remove = (database: Database, members: FleetMembers, runId: string): Promise<boolean> =>
  database.transaction(async (sql) => {
    const rows = await sql.rows(
      `select 1 from segno.runs r where run_id = $1 and drive_ended and not exists (
         select 1 from segno.leases l where l.run_id = r.run_id and segno.lives(l.holder, ${nowAt(2)}, $3)
       ) for update of r`,
      [runId, members.clock, members.silenceMs],
    );
    if (rows.length === 0) return false;
    for (const table of OF_A_RUN) await sql.run(`delete from segno.${table} where run_id = $1`, [runId]);
    await sql.run("delete from dbos.workflow_status where workflow_uuid like $1 || ':%'", [runId]);
    return true;
  });
