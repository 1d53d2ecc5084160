// Where a drive stands in the queue, which is served by number: by the run's priority first, and within one priority in
// turn between lanes, so that no run waits behind a thousand of another key. A lane that has nothing queued is served with
// the head of the queue, one that has is served after its last: lanes take turns however long each is.
import { createHash } from "node:crypto";
import type { Priority } from "../../../language/schema/names.ts";
import type { QueueLane } from "../../fleet.ts";
import type { Queries, Transaction } from "../database.ts";
import { DATABASE_NOW } from "../database-clock.ts";
import { WORKFLOWS } from "../dbos.ts";

/** Numbers go up to 2³¹: so many places each priority has. */
const PLACES = 500_000_000;
const CLASSES: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

/** A key may be long, and may be what a delivery says: only who has it can tell which lane it is. */
const laneName = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 32);

/** The drives of one priority that wait in the queue `$1`; `first` is the place where it begins. */
const waiting = (first: string): string =>
  `${WORKFLOWS} q where q.queue_name = $1 and q.status = 'ENQUEUED' and q.priority >= ${first} and q.priority < ${first} + ${PLACES}`;

/** The place of a lane's next drive, as SQL. */
const nextPlace = (lane: string, first: string): string =>
  `greatest(${first}, (select min(q.priority) from ${waiting(first)} and q.workflow_uuid <> s.workflow_uuid),
     (select max(q.priority) + 1 from ${waiting(first)} and q.queue_partition_key = ${lane} and q.workflow_uuid <> s.workflow_uuid))`;

/** The last place counts for all that would stand behind it. */
const within = (place: string, first: string): string => `least(${place}, ${first} + ${PLACES - 1})`;

/** Puts a drive into its lane; without one, into that of the drive before it. */
export async function placeInLane(
  sql: Transaction,
  queue: string,
  { id, before, lane }: { readonly id: string; readonly before: string; readonly lane?: QueueLane },
): Promise<void> {
  const { key, priority = "normal" } = lane ?? {};
  await sql.run(
    `with own as (select coalesce($3, p.queue_partition_key, md5(r.workflow)) as lane,
         coalesce($4::int, case when p.queue_partition_key is null then ${CLASSES.normal} else p.priority / ${PLACES} end) * ${PLACES} as first
       from (select 1) one left join ${WORKFLOWS} p on p.workflow_uuid = $5
         left join segno.runs r on r.run_id = split_part($2, ':', 1))
     update ${WORKFLOWS} s set queue_partition_key = own.lane, priority = ${within(nextPlace("own.lane", "own.first"), "own.first")}
     from own where s.workflow_uuid = $2`,
    [queue, id, key === undefined ? null : laneName(key), lane ? CLASSES[priority] : null, before],
  );
}

/**
 * Puts the drives whose time has come into the queue, each at the end of its lane: a thousand that wait for the same moment
 * hold up no other run. From then on they wait for a worker: their place among equals goes by that.
 */
/** Gives how many. */
export async function wakeInLanes(sql: Queries, queue: string, others: readonly string[]): Promise<number> {
  const isDue = `status = 'DELAYED' and delay_until_epoch_ms <= ${DATABASE_NOW}`;
  return sql.run(
    `with due as (select workflow_uuid, queue_partition_key as lane, priority / ${PLACES} * ${PLACES} as first,
         row_number() over (partition by queue_partition_key, priority / ${PLACES} order by delay_until_epoch_ms) - 1 as nth
       from ${WORKFLOWS} where queue_name = any($2::text[]) and ${isDue}),
     lanes as (select s.lane, s.first, ${nextPlace("s.lane", "s.first")} as next
       from (select distinct lane, first, '' as workflow_uuid from due) s)
     update ${WORKFLOWS} s set status = 'ENQUEUED', created_at = delay_until_epoch_ms,
       updated_at = ${DATABASE_NOW},
       priority = case when s.queue_name = $1 then ${within("lanes.next + due.nth", "due.first")} else s.priority end
     from due join lanes on lanes.lane is not distinct from due.lane and lanes.first = due.first
     where s.workflow_uuid = due.workflow_uuid and s.status = 'DELAYED'`,
    [queue, [queue, ...others]],
  );
}
