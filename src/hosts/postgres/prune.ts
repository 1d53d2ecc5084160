// Removes old runs with all that belongs to them; never one that is driven, placed or waited for.

import { keptText } from "../rows/kept-text.ts";
import type { PruneOptions } from "../store.ts";
import type { Database } from "./database.ts";
import { type FleetMembers, nowAt } from "./members.ts";

const KEEP = 200;
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

export async function removeOldRunsOf(
  database: Database,
  members: FleetMembers,
  options: PruneOptions = {},
): Promise<readonly string[]> {
  const { keep = KEEP, before = null, status, workflow, dryRun = false, failed = () => {} } = options;
  const old = await database.rows<{ run_id: string }>(
    `select run_id from segno.runs r where drive_ended and status not in ('paused', 'queued')
       and run_id not in (select run_id from segno.runs order by run_id desc limit $1)
       and ($2::bigint is null or started < $2) and ($3::text[] is null or status = any($3))
       and ($4::text is null or workflow = $4)
       and not exists (select 1 from segno.letters l where l.run_id = r.run_id and l.status in ('open', 'retrying'))
       and not exists (select 1 from segno.leases l where l.run_id = r.run_id and segno.lives(l.holder, ${nowAt(5)}, $6))
     order by run_id desc`,
    [
      ...[keep, before, status === undefined ? null : [status].flat()],
      ...[workflow === undefined ? null : keptText(workflow), members.clock, members.silenceMs],
    ],
  );
  const gone: string[] = [];
  for (const { run_id } of old) {
    if (dryRun) {
      gone.push(run_id);
      continue;
    }
    try {
      if (await remove(database, run_id)) gone.push(run_id);
    } catch (problem) {
      failed(run_id, problem instanceof Error ? problem.message : String(problem));
    }
  }
  if (!dryRun && gone.length > 0)
    await database.run(
      "delete from segno.sources s where not exists (select 1 from segno.pins p where p.hash = s.hash)",
    );
  return gone;
}

/** Somebody may have placed a drive of it meanwhile: looked at again under a lock. */
const remove = (database: Database, runId: string): Promise<boolean> =>
  database.transaction(async (sql) => {
    const rows = await sql.rows("select 1 from segno.runs where run_id = $1 and drive_ended for update", [runId]);
    if (rows.length === 0) return false;
    for (const table of OF_A_RUN) await sql.run(`delete from segno.${table} where run_id = $1`, [runId]);
    await sql.run("delete from dbos.workflow_status where workflow_uuid like $1 || ':%'", [runId]);
    return true;
  });
