// Takes work out of the queue, which is DBOS's table. A drive is claimed, its run's lease taken and what it needs read in one
// statement; a share of a group is only claimed. DBOS's own executor needs ten statements for the same.
import type { DriveLeaving } from "../../../../storage/fleet.ts";
import { DATABASE_NOW } from "../connection.ts";
import type { Database } from "../database.ts";
import { WORKFLOWS } from "../dbos.ts";
import { alive, nextEpoch } from "../lease.ts";
import { nowAt } from "../members.ts";
import type { MetaRow } from "../run-index.ts";
import type { PinRow } from "../sources.ts";

export interface ClaimRequest {
  readonly worker: string;
  /** What stands in for the database's clock in tests. */
  readonly clock: number | null;
  readonly queue: string;
  /** Of the protocol. */
  readonly version: string;
  readonly most: number;
}

export interface Claimed {
  readonly id: string;
}

/** With what was asked of its drive, and how far its journal goes. */
export interface DriveRow extends MetaRow {
  readonly request: string;
  readonly request_seq: string;
  readonly left_because: DriveLeaving | null;
  readonly last_seq: string | null;
}

/** With the run's lease, and what its drive needs. */
export interface ClaimedDrive extends DriveRow {
  readonly epoch: string;
  readonly ending: string | null;
  readonly secrets: string | null;
  readonly pins: readonly PinRow[] | null;
}

/** Those without an epoch are only claimed. */
type MaybeTaken = Claimed & (ClaimedDrive | { readonly epoch: null });

/** `picked`: the ids of the workflows. */
const claim = (picked: string): string => `alive as (${alive("$1")}), picked as (${picked}), claimed as (
    update ${WORKFLOWS} s set status = 'PENDING', executor_id = $1, owner_xid = null, started_at_epoch_ms = ${DATABASE_NOW},
      recovery_attempts = s.recovery_attempts + 1, updated_at = ${DATABASE_NOW}
    from picked where s.workflow_uuid = picked.workflow_uuid and s.status = 'ENQUEUED' and exists (select 1 from alive)
    returning s.workflow_uuid as id, split_part(s.workflow_uuid, ':', 1) as run_id, s.priority, s.created_at,
      s.queue_partition_key as partition
  )`;

const WAITS = "s.status = 'ENQUEUED' and s.queue_name = $2 and s.application_version = $3";

/** The lease only of runs that no process has: another's is taken after that process can write no more (`taking.ts`). So the last event is the last. */
const takeDrives = (): string => `with ${claim(`select s.workflow_uuid from ${WORKFLOWS} s where ${WAITS}
      order by s.priority, s.created_at limit $4 for update skip locked`)}, free as (
    select c.id, r.run_id, r.workflow, r.file, r.durability, r.version, r.started, r.failing_kind, r.request, r.request_seq,
      r.left_because, r.ending
    from claimed c join segno.runs r on r.run_id = c.run_id and c.id = r.run_id || ':' || r.drive and not r.drive_ended
    where not exists (select 1 from segno.leases l where l.run_id = c.run_id and l.stream = '' and l.holder is not null)
  ), taken as (
    insert into segno.leases as l (run_id, stream, epoch, holder, since) select run_id, '', 1, $1, ${nowAt(5)} from free
    on conflict (run_id, stream) do update set epoch = ${nextEpoch()}, holder = excluded.holder, since = excluded.since
    where l.holder is null returning run_id, epoch
  )
  select f.*, c.id, t.epoch,
    (select last_seq from segno.events e where e.run_id = f.run_id and e.stream = '' order by first_seq desc limit 1),
    (select data from segno.secrets x where x.run_id = f.run_id) as secrets,
    (select json_agg(json_build_object('path', p.path, 'drive', p.drive, 'hash', p.hash, 'mac', p.mac, 'copies',
         (select json_agg(o.data order by o.key desc) from segno.sources o where o.hash = p.hash)) order by p.path)
       from segno.pins p where p.run_id = f.run_id and p.drive = (select max(m.drive) from segno.pins m where m.run_id = f.run_id)
    ) as pins
  from claimed c left join taken t on t.run_id = c.run_id left join free f on f.id = c.id and t.run_id is not null
  order by c.priority, c.created_at`;

export async function claimDrives(
  database: Database,
  { worker, queue, version, most, clock }: ClaimRequest,
): Promise<readonly MaybeTaken[]> {
  return (await database.once(takeDrives(), [worker, queue, version, most, clock])).rows;
}

/** One of each group that none is here of: the first that no other worker takes right now. */
const takeBranches = (): string => `with ${claim(`select head.workflow_uuid from (
      with recursive groups as (
        (select min(s.queue_partition_key) as name from ${WORKFLOWS} s where ${WAITS})
        union all (select (select min(s.queue_partition_key) from ${WORKFLOWS} s
          where ${WAITS} and s.queue_partition_key > g.name) from groups g where g.name is not null)
      ) select name from groups where name is not null and not name = any($5::text[]) order by random() limit $4) g
    cross join lateral (select s.workflow_uuid from ${WORKFLOWS} s where ${WAITS} and s.queue_partition_key = g.name
      order by s.priority, s.created_at limit 1 for update skip locked) head`)}
  select id, partition from claimed`;

export async function claimBranches(
  database: Database,
  { worker, queue, version, most }: ClaimRequest,
  here: readonly string[],
): Promise<readonly (Claimed & { readonly partition: string })[]> {
  return (await database.once(takeBranches(), [worker, queue, version, most, here])).rows;
}

/** SQL: the workflow is done, if that worker has it. */
export const markDone = (id: string, worker: string): string =>
  `update ${WORKFLOWS} set status = 'SUCCESS', owner_xid = null, updated_at = ${DATABASE_NOW}, completed_at = ${DATABASE_NOW}
   where workflow_uuid = ${id} and status = 'PENDING' and executor_id = ${worker}`;

/** Of a workflow `s`: a worker has claimed it that does not live. */
export const isAbandoned = (queues: string, version: string): string =>
  `s.status = 'PENDING' and s.queue_name = any(${queues}::text[]) and s.application_version = ${version}
   and not exists (select 1 from segno.workers w where w.worker = s.executor_id and not w.dead)`;

/** Gives those back to the queue; how many. */
export const recoverAbandoned = (database: Database, queues: readonly string[], version: string): Promise<number> =>
  database.run(
    `update ${WORKFLOWS} s set status = 'ENQUEUED', started_at_epoch_ms = null, owner_xid = null, updated_at = ${DATABASE_NOW}
     where ${isAbandoned("$1", "$2")}`,
    [queues, version],
  );

/** What this worker has claimed, from the claim to the drive's end. */
export class Claims {
  readonly #drives = new Map<string, ClaimedDrive>();
  readonly #done = new Set<string>();

  add(id: string, drive: ClaimedDrive): void {
    this.#drives.set(id, drive);
  }

  /** Once: who takes it has the lease. */
  take(id: string): ClaimedDrive | undefined {
    const drive = this.#drives.get(id);
    this.#drives.delete(id);
    return drive;
  }

  hasRun(runId: string): boolean {
    for (const { run_id } of this.#drives.values()) if (run_id === runId) return true;
    return false;
  }

  /** Its end was written with that of the run. */
  done(id: string): void {
    this.#done.add(id);
  }

  /** Whether it was; asked once. */
  wasDone(id: string): boolean {
    return this.#done.delete(id);
  }
}
