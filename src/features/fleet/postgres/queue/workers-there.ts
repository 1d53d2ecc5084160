// The fleet for views: which workers are there, what each holds, what waits, how to ask one to leave, and which workers left
// a run to the others because they lack its key or its plugins.
import type { LeftBy, MissingRequirement, QueueView, WorkerView } from "../../../../storage/fleet.ts";
import { openValue, type Seal, type SealedPlace } from "../../../../storage/state/seal.ts";
import { isUnreadable } from "../../../../storage/store-error.ts";
import type { Database, Transaction } from "../database.ts";
import { type FleetMembers, isHeard, labelsOf, nowAt } from "../members.ts";
import type { StoreAccess } from "../reader.ts";
import { WAITING } from "../run-index.ts";

interface WorkerRow {
  readonly worker: string;
  readonly labels: string;
  readonly version: string;
  readonly draining: boolean;
  readonly silent_ms: string;
  readonly runs: readonly string[];
}

/** Nothing for a command, which is no worker. */
function workerView(row: WorkerRow): readonly WorkerView[] {
  const labels = labelsOf(row.labels);
  if (!labels)
    throw new Error(
      "What it says of itself is not what Segno writes, so it counts for nothing: if no worker of that name should be there, remove its row from segno.workers.",
    );
  const { kind, host, pid, concurrency = null, keys, since: began } = labels;
  if (kind !== "worker") return [];
  const { worker: id, version, draining: isDraining, runs } = row;
  const silentMs = Number(row.silent_ms);
  const since = typeof began === "number" ? new Date(began).toISOString() : null;
  return [{ id, host, pid, version, isDraining, since, silentMs, concurrency, runs, ...(keys && { keys }) }];
}

export async function workersThere(
  database: Database,
  { clock, silenceMs }: FleetMembers,
): Promise<readonly WorkerView[]> {
  const rows = await database.rows<WorkerRow>(
    `select worker, labels, version, draining, ${nowAt(1)} - heard as silent_ms,
       coalesce((select array_agg(distinct run_id) from segno.leases where holder = worker), '{}') as runs
     from segno.workers where not dead and ${isHeard(1, 2)} order by worker`,
    [clock, silenceMs],
  );
  return database.leftOut.readable(rows, ({ worker }) => `the worker ${worker}`, workerView).flat();
}

/** Of runs, and not of what stands in the queue: a worker that cannot take a run puts it off there, and the lost have theirs. */
export async function queueNow(database: Database, { clock, silenceMs }: FleetMembers): Promise<QueueView> {
  const [row] = await database.rows<{ waiting: string; delayed: string; oldest_ms: string | null }>(
    `select count(*) filter (where not sleeps) as waiting, count(*) filter (where sleeps) as delayed,
       (extract(epoch from clock_timestamp()) * 1000)::bigint - min(since) filter (where not sleeps) as oldest_ms
     from (${WAITING}) as runs`,
    [clock, silenceMs],
  );
  return {
    waiting: Number(row?.waiting ?? 0),
    delayed: Number(row?.delayed ?? 0),
    oldestMs: row?.oldest_ms == null ? null : Number(row.oldest_ms),
  };
}

/** Gives the ids of those that were meant. */
export async function askToLeave(database: Database, idOrPrefix: string): Promise<readonly string[]> {
  const rows = await database.rows<{ worker: string }>(
    "update segno.workers set draining = true where starts_with(worker, $1) and not dead returning worker",
    [idOrPrefix],
  );
  return rows.map(({ worker }) => worker);
}

interface LackRow {
  readonly run_id: string;
  readonly worker: string;
  readonly kind: string;
  readonly data: string | null;
}

type LackOfPlugins = Extract<MissingRequirement, { readonly kind: "plugins" }>;

/** Before a statement about the run `$1`: a worker drives it now, or its request has changed. */
export const FORGET_LACKS = "with taken as (delete from segno.lacks where run_id = $1)";

const placeOf = (runId: string, worker: string): SealedPlace => [runId, "lack", worker];

/** What is missing are words of the workflow's files: sealed as these are. */
export async function recordMissingRequirement(
  sql: Transaction,
  { seal, members }: StoreAccess,
  runId: string,
  requirement: MissingRequirement,
): Promise<void> {
  const { kind, ...what } = requirement;
  await sql.run(
    `insert into segno.lacks (run_id, worker, kind, data) values ($1, $2, $3, $4)
     on conflict (run_id, worker) do update set kind = excluded.kind, data = excluded.data`,
    [runId, members.name, kind, seal.close(JSON.stringify(what), placeOf(runId, members.name))],
  );
}

export async function missingRequirements(
  { database, seal }: StoreAccess,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly LeftBy[]>> {
  const rows = await database.rows<LackRow>(
    "select run_id, worker, kind, data from segno.lacks where run_id = any($1::text[]) order by worker",
    [runIds],
  );
  const what = ({ run_id, worker }: LackRow): string => `why ${worker} left the run ${run_id} to others`;
  const found = new Map<string, LeftBy[]>();
  for (const { runId, ...leftBy } of database.leftOut.readable(rows, what, (row) => readLack(seal, row)))
    found.set(runId, [...(found.get(runId) ?? []), leftBy]);
  return found;
}

function readLack(seal: Seal, { run_id: runId, worker, kind, data }: LackRow): LeftBy & { readonly runId: string } {
  if (kind !== "plugins") return { runId, worker, requirement: { kind: "key" } };
  try {
    const { missing, folder } = openValue<LackOfPlugins>(seal, data ?? "", placeOf(runId, worker));
    return { runId, worker, requirement: { kind, missing: missing.map(String), folder } };
  } catch (problem) {
    // That worker seals with a key that this process does not have.
    if (isUnreadable(problem)) return { runId, worker, requirement: { kind, missing: [], folder: null } };
    throw problem;
  }
}
