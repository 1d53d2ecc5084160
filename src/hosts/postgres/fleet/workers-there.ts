// The fleet for views: which workers are there, what each holds, what waits, and how to ask one to leave.
import type { QueueView, WorkerView } from "../../fleet.ts";
import type { Database } from "../database.ts";
import { type FleetMembers, isHeard, labelsOf, nowAt } from "../members.ts";
import { WAITING } from "../state/run-index.ts";

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
  return [{ id, host, pid, version, isDraining, since, silentMs, concurrency, runs, ...(keys ? { keys } : {}) }];
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
  const rows = await database.rows<{ waiting: string; delayed: string; oldest_ms: string | null }>(
    `select count(*) filter (where not sleeps) as waiting, count(*) filter (where sleeps) as delayed,
       (extract(epoch from clock_timestamp()) * 1000)::bigint - min(since) filter (where not sleeps) as oldest_ms
     from (${WAITING}) as runs`,
    [clock, silenceMs],
  );
  const [row] = rows;
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
