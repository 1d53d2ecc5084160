// Where a drive stands in the queue, which is served by number: by the run's priority first, and within one priority in
// turn between lanes, so that no run waits behind a thousand of another key. A lane that has nothing queued is served with
// the head of the queue, one that has is served after its last: lanes take turns however long each is.
import { createHash } from "node:crypto";
import type { Priority } from "../../../language/schema/names.ts";
import type { QueueLane } from "../../fleet.ts";
import { raw, type Sql, sql } from "../../state/sql.ts";
import type { Queries } from "../database.ts";
import { DATABASE_NOW } from "../database-clock.ts";
import { WORKFLOWS } from "../dbos.ts";

/** Numbers go up to 2³¹: so many places each priority has. */
const PLACES = 500_000_000;
const CLASSES: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

/** A key may be long, and may be what a delivery says: only who has it can tell which lane it is. */
const laneName = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 32);

/** The drives of one priority that wait in a queue; `first` is the place where it begins. */
const waiting = (queue: string, first: string): string =>
  `${WORKFLOWS} q where q.queue_name = '${queue}' and q.status = 'ENQUEUED' and q.priority >= ${first} and q.priority < ${first} + ${PLACES}`;

/** The place of a lane's next drive, as SQL. */
const nextPlace = (queue: string, lane: string, first: string): string =>
  `greatest(${first}, (select min(q.priority) from ${waiting(queue, first)}),
     (select max(q.priority) + 1 from ${waiting(queue, first)} and q.queue_partition_key = ${lane}))`;

/** The last place counts for all that would stand behind it. */
const within = (place: string, first: string): string => `least(${place}, ${first} + ${PLACES - 1})`;

/** Lane and place of a run's next drive, as SQL; without a lane, in that of the drive `before`. `run`: a table with its workflow. */
export function placeInLane(run: Sql, queue: string, before: string, lane?: QueueLane): Sql {
  const { key, priority = "normal" } = lane ?? {};
  const ofBefore = `case when p.queue_partition_key is null then ${CLASSES.normal} else p.priority / ${PLACES} end`;
  const own = sql`select coalesce(${key === undefined ? null : laneName(key)}, p.queue_partition_key, md5(r.workflow)) as lane,
      coalesce(${lane ? CLASSES[priority] : null}::int, ${raw(ofBefore)}) * ${raw(`${PLACES}`)} as first
    from ${run} r left join ${raw(WORKFLOWS)} p on p.workflow_uuid = ${before}`;
  return sql`select lane, ${raw(within(nextPlace(queue, "own.lane", "own.first"), "own.first"))} from (${own}) own`;
}

/**
 * Puts the drives whose time has come into the queue, each at the end of its lane: a thousand that wait for the same moment
 * hold up no other run. From then on they wait for a worker: their place among equals goes by that. Gives how many.
 */
export async function wakeInLanes(queries: Queries, queue: string, others: readonly string[]): Promise<number> {
  const isDue = `status = 'DELAYED' and delay_until_epoch_ms <= ${DATABASE_NOW}`;
  return queries.run(
    `with due as (select workflow_uuid, queue_partition_key as lane, priority / ${PLACES} * ${PLACES} as first,
         row_number() over (partition by queue_partition_key, priority / ${PLACES} order by delay_until_epoch_ms) - 1 as nth
       from ${WORKFLOWS} where queue_name = any($2::text[]) and ${isDue}),
     lanes as (select s.lane, s.first, ${nextPlace(queue, "s.lane", "s.first")} as next
       from (select distinct lane, first from due) s)
     update ${WORKFLOWS} s set status = 'ENQUEUED', created_at = delay_until_epoch_ms,
       updated_at = ${DATABASE_NOW},
       priority = case when s.queue_name = $1 then ${within("lanes.next + due.nth", "due.first")} else s.priority end
     from due join lanes on lanes.lane is not distinct from due.lane and lanes.first = due.first
     where s.workflow_uuid = due.workflow_uuid and s.status = 'DELAYED'`,
    [queue, [queue, ...others]],
  );
}
