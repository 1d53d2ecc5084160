// Leases: which worker drives a run. Each take raises the run's epoch, and a write counts only with the current epoch.
// A worker that was declared dead takes no lease.
import type { LeaseHolder } from "../../../storage/liveness.ts";
import { LeaseHeld, StoreError } from "../../../storage/store-error.ts";
import type { Database } from "./database.ts";
import { type FleetMembers, labelsOf, nowAt } from "./members.ts";

/** The stream that a run's own drive writes. */
export const MAIN = "";

interface HolderRow {
  readonly holder: string;
  readonly labels: string | null;
  readonly since: string;
  readonly heard: string | null;
  readonly lives: boolean;
  readonly left_ms: string;
}

const holderOf = ({ holder, labels, since, heard }: HolderRow): LeaseHolder => {
  const { host, pid, start, kind } = labelsOf(labels) ?? { host: "", pid: 0, start: "", kind: "command" };
  const time = (ms: string | null): string => new Date(Number(ms ?? 0)).toISOString();
  const worker = kind === "worker" ? { worker: holder.slice(0, holder.lastIndexOf(":")) } : {};
  return { host, pid, start, since: time(since), heard: time(heard), ...worker };
};

async function holderRow(database: Database, members: FleetMembers, runId: string): Promise<HolderRow | undefined> {
  const [row] = await database.rows<HolderRow>(
    `select l.holder, w.labels, l.since, w.heard, segno.lives(l.holder, ${nowAt(3)}, $4) as lives,
            coalesce(w.heard, 0) + coalesce(w.dead_after_ms, $4) - ${nowAt(3)} as left_ms
     from segno.leases l left join segno.workers w on w.worker = l.holder
     where l.run_id = $1 and l.stream = $2 and l.holder is not null`,
    [runId, MAIN, members.clock, members.silenceMs],
  );
  return row;
}

/** The process that has the lease, dead or alive. */
export async function leaseHolder(
  database: Database,
  members: FleetMembers,
  runId: string,
): Promise<LeaseHolder | undefined> {
  const row = await holderRow(database, members, runId);
  return row && holderOf(row);
}

export interface TakenLease {
  readonly epoch: number;
  readonly takenOver?: LeaseHolder;
}

/** Other workers declared this process dead while it stood still, and hold its leases now. */
export class GivenUp extends Error {
  override readonly name = "GivenUp";

  constructor() {
    super("this worker sent no heartbeat for too long, and other workers have taken its runs");
  }
}

/** Only a worker that is not declared dead may take a lease. The row lock is shared: takes of one worker do not wait for each other. */
export const alive = (worker: string): string =>
  isLeftOut("no-life")
    ? `select ${worker}::text as worker`
    : `select worker from segno.workers where worker = ${worker} and not dead for share`;

/** Of a lease `l` that is taken again. */
export const nextEpoch = (): string => (isLeftOut("plain-take") ? "l.epoch" : "l.epoch + 1");

/** A command takes a run once, and may not have beaten for long: it gives a sign of life with that. */
const BEATING = `update segno.workers set heard = greatest(heard, ${nowAt(4)}) where worker = $3 and not dead returning worker`;

const takeSql = (from: string, living = alive("$3")): string => `with alive as (${living})
  insert into segno.leases as l (run_id, stream, epoch, holder, since)
  select $1, $2, 1, alive.worker, ${nowAt(4)} from alive
  on conflict (run_id, stream) do update set epoch = ${nextEpoch()}, holder = excluded.holder, since = excluded.since
  where ${from} returning epoch`;

const FROM_ANYBODY = "$5::bigint is not null";
const FROM_THE_DEAD = `l.holder is null or not segno.lives(l.holder, ${nowAt(4)}, $5)`;

export async function takeLease(
  database: Database,
  members: FleetMembers,
  /** `takeOver`: also from a process that lives: a worker takes what the queue gives it. */
  { runId, stream = MAIN, takeOver }: { readonly runId: string; readonly stream?: string; readonly takeOver: boolean },
): Promise<TakenLease> {
  const name = await members.self();
  const before = await holderRow(database, members, runId);
  const [taken] = await database.rows<{ epoch: string }>(
    takeOver ? takeSql(FROM_ANYBODY) : takeSql(FROM_THE_DEAD, BEATING),
    [runId, stream, name, members.clock, members.silenceMs],
  );
  if (taken) return { epoch: Number(taken.epoch), takenOver: before && holderOf(before) };
  const now = await holderRow(database, members, runId);
  if (!now || takeOver) throw new GivenUp();
  throw new LeaseHeld(runId, holderOf(now), Math.max(0, Number(now.left_ms)));
}

/** Unless another process has taken it since. */
export const freeLease = (database: Database, runId: string, stream: string, epoch: number | string): Promise<number> =>
  database.run("update segno.leases set holder = null where run_id = $1 and stream = $2 and epoch = $3", [
    runId,
    stream,
    epoch,
  ]);

export function requireRunId(runId: string): void {
  if (!/^[A-Za-z0-9][\w-]*$/.test(runId))
    throw new StoreError("missing", `${JSON.stringify(runId)} is not the id of a run.`, runId);
}

// Parts of the protocol that a test can leave out, to show that each is needed. In what is built there is no such switch: the
// build defines SEGNO_MUTANTS as false.

declare const SEGNO_MUTANTS: false | undefined;

export type Mutant =
  /** Writes do not look at the epoch. */
  | "no-fence"
  /** Who was given up may still take a run. */
  | "no-life"
  /** Taking a run does not raise its epoch. */
  | "plain-take"
  /** A row that is there already is never one's own. */
  | "no-own-row"
  /** A write that took long is not followed by a look at who has the run. */
  | "no-second-look"
  /** A step begins though its worker has not beaten for long, and may be given up at any moment. */
  | "no-beat-before-step"
  /** Runs without a workflow are left where they are. */
  | "no-reconciler";

export const mutants = new Set<Mutant>();

export const isLeftOut = (mutant: Mutant): boolean => typeof SEGNO_MUTANTS === "undefined" && mutants.has(mutant);
