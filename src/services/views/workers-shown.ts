// The workers of a fleet as a page shows them: who is there, what each drives, and what waits. Of runs that are not shown
// here only how many there are.
import { queueOf, type WorkerEntry, workerEntry } from "../fleet/workers.ts";
import type { WatchedRuns } from "./watched-runs.ts";

type Watching = Pick<WatchedRuns, "store" | "isShown">;

export async function workersShown(watched: Watching) {
  const { fleet } = watched.store;
  // Each run is driven by the process that starts it, and there are no workers.
  if (!fleet) return { fleet: false, workers: [], queue: null };
  const [workers, queue] = await Promise.all([fleet.workers(), fleet.queue()]);
  const shown = await Promise.all(workers.map((worker) => shownWorker(workerEntry(worker), watched)));
  return { fleet: true, workers: shown, queue: queueOf(queue) };
}

async function shownWorker({ runs, ...worker }: WorkerEntry, watched: Watching) {
  const found = await Promise.all(runs.map((run) => watched.store.summary(run)));
  const shown = found.flatMap((run) =>
    run && watched.isShown(run.file) ? [{ run_id: run.runId, workflow: run.workflow }] : [],
  );
  return { ...worker, runs: shown, other_runs: runs.length - shown.length };
}
