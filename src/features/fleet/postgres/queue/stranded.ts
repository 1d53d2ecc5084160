// Finds work that no worker would go on with: claims that their worker does not know of, runs without a runnable
// workflow, and answers that came just as the worker of their run was lost.
import type { Database } from "../database.ts";
import { WORKFLOWS } from "../dbos.ts";
import { type FleetMembers, nowAt, understands } from "../members.ts";
import { QUEUE } from "./queue.ts";

export interface StrandedRun {
  readonly runId: string;
  readonly drive: number;
}

/** Of a run `r`: no living process has it. Time and silence are the first two parameters. */
const HAS_NO_DRIVER = `not exists (select 1 from segno.leases l
  where l.run_id = r.run_id and l.stream = '' and segno.lives(l.holder, ${nowAt(1)}, $2::bigint))`;

/** Of a workflow `s`: claimed so long ago that, without a lease by now, the answer to the claim was lost. Its worker does not know that it has the run. */
export const CLAIMED_LONG_AGO = `s.status = 'PENDING' and abs((extract(epoch from clock_timestamp()) * 1000)::bigint
  - s.started_at_epoch_ms) > $2::bigint / 2`;

const UNBEGUN = `${WORKFLOWS} s
  join segno.runs r on r.run_id = split_part(s.workflow_uuid, ':', 1) and s.workflow_uuid = r.run_id || ':' || r.drive
  where s.queue_name = $3 and ${CLAIMED_LONG_AGO} and not r.drive_ended and ${HAS_NO_DRIVER}`;

/** Runs that a worker has claimed and not begun. The claims are few: as many as all workers have places. */
export const unbegunClaims = (
  database: Database,
  { clock, silenceMs }: FleetMembers,
): Promise<readonly StrandedRun[]> =>
  database.rows(`select r.run_id as "runId", r.drive from ${UNBEGUN}`, [clock, silenceMs, QUEUE]);

/** How many runs one look for stranded ones reads: a long queue is gone through in several looks. */
const RUNS_PER_LOOK = 1000;

/**
 * Runs that are underway and that no worker has, or will take: their workflow ended without a result, is gone, or is of a
 * version that no worker is left of. One that was placed a moment ago is left out, and one that was placed in the future was
 * placed before the clock was set back. Each look goes on where the last one ended.
 */
export class StrandedRuns {
  #after = "";

  constructor(
    private readonly database: Database,
    private readonly members: FleetMembers,
  ) {}

  async look(): Promise<readonly StrandedRun[]> {
    const { clock, silenceMs } = this.members;
    // Of a `not exists` Postgres would make one table first, of all workflows that there are; of `limit 1` it cannot.
    const rows = await this.database.rows<StrandedRun & { readonly stranded: boolean }>(
      `select r.run_id as "runId", r.drive, abs(extract(epoch from clock_timestamp() - r.placed_at)) > $2::bigint / 4000.0
         and ${HAS_NO_DRIVER}
         and (select 1 from ${WORKFLOWS} s where s.workflow_uuid = r.run_id || ':' || r.drive
           and s.status in ('ENQUEUED', 'DELAYED', 'PENDING')
           and exists (select 1 from segno.workers w where not w.dead and ${understands("s.application_version")})
           limit 1) is null as stranded
       from segno.runs r where not r.drive_ended and r.run_id > $3 order by r.run_id limit ${RUNS_PER_LOOK}`,
      [clock, silenceMs, this.#after],
    );
    this.#after = rows.length === RUNS_PER_LOOK ? (rows.at(-1)?.runId ?? "") : "";
    return rows.filter(({ stranded }) => stranded);
  }
}

const heldForLong = (holder: number): string => `holder = $${holder} and abs(${nowAt(1)} - since) > $2::bigint / 2`;

/** Leases that this process holds unknowingly: an answer was lost, or the database was away. While it lives no other can take those runs. */
export async function releaseUnknownLeases(
  database: Database,
  members: FleetMembers,
  known: (runId: string, stream: string) => boolean,
): Promise<void> {
  const held = await database.rows<{ run_id: string; stream: string; epoch: string }>(
    `select run_id, stream, epoch from segno.leases where ${heldForLong(3)}`,
    [members.clock, members.silenceMs, members.name],
  );
  for (const { run_id, stream, epoch } of held.filter((one) => !known(one.run_id, one.stream)))
    await database.run(
      `update segno.leases set epoch = epoch + 1, holder = null
       where run_id = $1 and stream = $2 and epoch = $3 and holder = $4`,
      [run_id, stream, epoch, members.name],
    );
}

/** Of a run `r`: it paused, and an answer came in that very drive, which did not look for one any more. */
export const HAS_UNHEARD_ANSWER = `r.drive_ended and r.status = 'paused' and exists (select 1 from segno.answers a
  where a.run_id = r.run_id and a.drive = r.drive and a.answer is not null and not a.closed)`;

const UNHEARD = `segno.runs r
  where r.run_id in (select run_id from segno.answers where drive is not null) and ${HAS_UNHEARD_ANSWER} and ${HAS_NO_DRIVER}`;

export async function unheardRuns(database: Database, { clock, silenceMs }: FleetMembers): Promise<readonly string[]> {
  const rows = await database.rows<{ run_id: string }>(`select r.run_id from ${UNHEARD}`, [clock, silenceMs]);
  return rows.map(({ run_id }) => run_id);
}

/** Which of the looks above would find something: one statement for a fleet where all is well. */
export interface Oddities {
  readonly leases: boolean;
  readonly unbegun: boolean;
  readonly underway: boolean;
  readonly unheard: boolean;
}

export async function oddities(database: Database, members: FleetMembers): Promise<Oddities> {
  const [row] = await database.rows<Oddities>(
    `select exists (select 1 from segno.leases where ${heldForLong(4)}) as leases, exists (select 1 from ${UNBEGUN}) as unbegun,
       exists (select 1 from segno.runs where not drive_ended) as underway, exists (select 1 from ${UNHEARD}) as unheard`,
    [members.clock, members.silenceMs, QUEUE, members.name],
  );
  return row ?? { leases: true, unbegun: true, underway: true, unheard: true };
}
