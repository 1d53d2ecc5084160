// What nobody will go on with by itself: workflows of workers that are gone, runs without a workflow that can run, and
// answers that came just as the worker of their run was lost.
import type { Database } from "../database.ts";
import { type FleetMembers, nowAt, understands } from "../members.ts";
import { BRANCH_QUEUE, QUEUE } from "./queue.ts";

/** Executors that have taken drives and do not live. */
export async function abandonedExecutors(database: Database, members: FleetMembers): Promise<readonly string[]> {
  const rows = await database.rows<{ executor_id: string }>(
    `select distinct executor_id from dbos.workflow_status
     where status = 'PENDING' and queue_name = any($1::text[])
       and not exists (select 1 from segno.workers w where w.worker = executor_id and not w.dead)`,
    [[QUEUE, BRANCH_QUEUE]],
  );
  return rows.map(({ executor_id }) => executor_id).filter((one) => one !== members.name);
}

/**
 * Runs that are underway and that no worker has, or will take: their workflow ended without a word, is gone, or is of a
 * version that no worker is left of. Not one that was placed a moment ago; in a time to come it was placed before the clock
 * was set back.
 */
export async function strandedRuns(
  database: Database,
  members: FleetMembers,
): Promise<readonly { readonly runId: string; readonly drive: number }[]> {
  const rows = await database.rows<{ run_id: string; drive: number }>(
    `select r.run_id, r.drive from segno.runs r
     where not r.drive_ended and abs(extract(epoch from clock_timestamp() - r.placed_at)) > $2::bigint / 4000.0
       and not exists (select 1 from segno.leases l
         where l.run_id = r.run_id and l.stream = '' and segno.lives(l.holder, ${nowAt(1)}, $2::bigint))
       and not exists (select 1 from dbos.workflow_status s where s.workflow_uuid = r.run_id || ':' || r.drive
         and s.status in ('ENQUEUED', 'DELAYED', 'PENDING')
         and exists (select 1 from segno.workers w where not w.dead and ${understands("s.application_version")}))`,
    [members.clock, members.silenceMs],
  );
  return rows.map(({ run_id, drive }) => ({ runId: run_id, drive }));
}

/** Of a run `r`: it paused, and an answer came in that very drive, which did not look for one any more. */
export const HAS_UNHEARD_ANSWER = `r.drive_ended and r.status = 'paused' and exists (select 1 from segno.answers a
  where a.run_id = r.run_id and a.drive = r.drive and a.answer is not null and not a.closed)`;

/** Runs that wait for an answer which is there. */
export async function unheardRuns(database: Database, members: FleetMembers): Promise<readonly string[]> {
  const rows = await database.rows<{ run_id: string }>(
    `select r.run_id from segno.runs r
     where r.run_id in (select run_id from segno.answers where drive is not null) and ${HAS_UNHEARD_ANSWER}
       and not exists (select 1 from segno.leases l
         where l.run_id = r.run_id and l.stream = '' and segno.lives(l.holder, ${nowAt(1)}, $2::bigint))`,
    [members.clock, members.silenceMs],
  );
  return rows.map(({ run_id }) => run_id);
}
