// The queue that places drives: a drive of a run is one workflow, `RUN:n`. Everything is written inside our own
// transactions, so that a run and its place in the queue are there together.

import type { QueueLane } from "../../fleet.ts";
import { run, type Sql, sql } from "../../state/sql.ts";
import { doneIn, type Queries } from "../database.ts";
import { newWorkflow } from "../dbos.ts";
import { placeInLane } from "./lanes.ts";

export const QUEUE = "segno-drives";
const DRIVE = "drive";
/** Branches have a queue of their own: drives that wait for them would keep them from ever being taken. */
export const BRANCH_QUEUE = "segno-branches";
const BRANCH = "branch";

/**
 * The version of the journal's protocol: which workers understand which drives. Raised by hand, when a worker of the
 * version before could not go on with what one of this version has written.
 */
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
