// The queue that places drives: a drive of a run is one workflow, `RUN:n`. Everything is written inside our own
// transactions, so that a run and its place in the queue are there together.
import { createHash } from "node:crypto";
import type { Priority } from "../../../../language/schema/names.ts";
import type { QueueLane } from "../../../../storage/fleet.ts";
import { raw, run, type Sql, sql } from "../../../../storage/state/sql.ts";
import { DATABASE_NOW } from "../connection.ts";
import { doneIn, type Queries } from "../database.ts";
import { newWorkflow, WORKFLOWS } from "../dbos.ts";

export const QUEUE = "segno-drives";
const DRIVE = "drive";
/** Branches have a queue of their own: drives that wait for them would keep them from ever being taken. */
export const BRANCH_QUEUE = "segno-branches";
const BRANCH = "branch";

/** Of the journal: which workers understand which drives. Raised by hand when the version before could not go on with what this one wrote. */
export const PROTOCOL = "2";

export const workflowId = (runId: string, drive: number): string => `${runId}:${drive}`;

export interface Enqueuing {
  readonly runId: string;
  readonly drive: number;
  /** Not before so many seconds. */
  readonly delaySeconds?: number;
  readonly version?: string;
  /** That of the drive before when left out. */
  readonly lane?: QueueLane;
}

export interface EnqueuingBranch {
  readonly runId: string;
  /** Of the group's spread. */
  readonly name: string;
  readonly stream: string;
  readonly attempt: number;
  readonly delaySeconds?: number;
  readonly version?: string;
}

export const branchId = (runId: string, stream: string, attempt: number): string => `${runId}:${stream}:${attempt}`;

/** Puts a drive into the queue, as SQL. `run`: a table with the run's workflow; without a row, nothing is put there. */
export function enqueuing(run: Sql, { runId, drive, delaySeconds, version = PROTOCOL, lane }: Enqueuing): Sql {
  const place = placeInLane(run, QUEUE, workflowId(runId, drive - 1), lane);
  return newWorkflow({ queue: QUEUE, name: DRIVE, id: workflowId(runId, drive), version, delaySeconds }, place);
}

export const enqueue = (queries: Queries, drive: Enqueuing): Promise<number> =>
  doneIn(queries, run(enqueuing(sql`(select workflow from segno.runs where run_id = ${drive.runId})`, drive)));

/** A share of a spread group; of each group a worker takes one at a time, so that all of them get some. */
export const enqueueBranch = (
  queries: Queries,
  { runId, name, stream, attempt, delaySeconds, version = PROTOCOL }: EnqueuingBranch,
): Promise<number> =>
  doneIn(
    queries,
    run(
      newWorkflow(
        { queue: BRANCH_QUEUE, name: BRANCH, id: branchId(runId, stream, attempt), version, delaySeconds },
        sql`select ${`${runId} ${name}`}, 0`,
      ),
    ),
  );

// Where a drive stands in the queue, which is served by number: by the run's priority first, and within one priority in
// turn between lanes, so that no run waits behind a thousand of another key. A lane that has nothing queued is served with
// the head of the queue, one that has is served after its last: lanes take turns however long each is.

/** Numbers go up to 2³¹: so many places each priority has. */
const PLACES = 500_000_000;
const CLASSES: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

/** A key may be long, and may be what a delivery says: only who has it can tell which lane it is. */
const laneName = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 32);

/** The drives of one priority that wait in a queue; `first` is the place where it begins. */
const waiting = (queue: string, first: string): string =>
  `${WORKFLOWS} q where q.queue_name = '${queue}' and q.status = 'ENQUEUED' and q.priority >= ${first} and q.priority < ${first} + ${PLACES}`;

const nextPlace = (queue: string, lane: string, first: string): string =>
  `greatest(${first}, (select min(q.priority) from ${waiting(queue, first)}),
     (select max(q.priority) + 1 from ${waiting(queue, first)} and q.queue_partition_key = ${lane}))`;

/** The last place counts for all that would stand behind it. */
const within = (place: string, first: string): string => `least(${place}, ${first} + ${PLACES - 1})`;

/** Lane and place of a run's next drive, as SQL; without a lane, in that of the drive `before`. `run`: a table with its workflow. */
function placeInLane(run: Sql, queue: string, before: string, lane?: QueueLane): Sql {
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
