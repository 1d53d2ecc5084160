// One look of a worker at all that may ask something of it: the queue, runs that shall stop, workers that fell silent.
import type { Database } from "../database.ts";
import { WORKFLOWS } from "../dbos.ts";
import { type FleetMembers, IS_LONG_DEAD, IS_ODD } from "../members.ts";
import { isAbandoned } from "./claims.ts";
import { BRANCH_QUEUE, QUEUE } from "./queue.ts";

export interface Glance {
  readonly drives: boolean;
  readonly branches: boolean;
  /** Milliseconds until the first of those that wait for their time; less than nothing when it has come. */
  readonly wakes_in: number | null;
  /** Some have fallen silent, or have been dead for long. */
  readonly silent: boolean;
  /** What a worker has claimed that does not live. */
  readonly abandoned: boolean;
  /** This worker shall leave. */
  readonly leaves: boolean;
  /** Of the runs that are driven here, those that shall stop. */
  readonly stops: readonly string[];
}

const waits = (queue: string): string =>
  `exists (select 1 from ${WORKFLOWS} s where s.status = 'ENQUEUED' and s.queue_name = '${queue}' and s.application_version = $4)`;

const GLANCE = `select ${waits(QUEUE)} as drives, ${waits(BRANCH_QUEUE)} as branches,
    (select min(delay_until_epoch_ms) from ${WORKFLOWS} where status = 'DELAYED' and queue_name = any($3::text[]))
      - (extract(epoch from clock_timestamp()) * 1000)::float8 as wakes_in,
    exists (select 1 from segno.workers where ${IS_LONG_DEAD} or not dead and ${IS_ODD}) as silent,
    exists (select 1 from ${WORKFLOWS} s where ${isAbandoned("$3", "$4")}) as abandoned,
    exists (select 1 from segno.workers where worker = $5 and draining and not dead) as leaves,
    array(select run_id from segno.runs where stop_requested and run_id = any($6::text[])) as stops`;

/** Once, and not again when the connection is lost: what is seen late would be judged as if it were now. */
export async function glance(
  database: Database,
  { clock, silenceMs, name }: FleetMembers,
  protocol: string,
  driven: readonly string[],
): Promise<Glance> {
  const { rows } = await database.once(GLANCE, [clock, silenceMs, [QUEUE, BRANCH_QUEUE], protocol, name, driven]);
  return rows[0] as Glance;
}
