// A worker: takes drives from the queue, gives signs of life, notices who gives none, and sees to it that no run is left
// behind. How a drive runs is the caller's concern.
import type { DBOSConfig } from "@dbos-inc/dbos-sdk";
import { ChangedInDatabase, isUnreadable } from "../../store-error.ts";
import type { Database } from "../database.ts";
import { isLeftOut } from "../mutants.ts";
import {
  type DbosExecutor,
  loadDbos,
  loadQueueRunner,
  loadRecovery,
  type PolledQueue,
  type QueueRunner,
} from "../packages.ts";
import type { PostgresStore } from "../store.ts";
import { Grace } from "./grace.ts";
import { wakeInLanes } from "./lanes.ts";
import { APPLICATION, BRANCH, BRANCH_QUEUE, DRIVE, PROTOCOL, QUEUE, QUIET } from "./queue.ts";
import { abandonedExecutors, releaseUnknownLeases, StrandedRuns, unbegunClaims, unheardRuns } from "./stranded.ts";

export interface FleetWorkerOptions {
  readonly store: PostgresStore;
  /** Drives at a time. */
  readonly concurrency: number;
  /** How often the queue is asked. */
  readonly pollMs: number;
  /** The protocol's version, unless it is a test of two of them. */
  readonly protocol?: string;
  /** Drives; never throws. */
  readonly drive: (runId: string, drive: number) => Promise<void>;
  /** The same for a share of a spread group. */
  readonly driveBranch: (runId: string, stream: string, attempt: number) => Promise<void>;
  /** What is asked of a drive that goes on after a pause, from what was asked of the one before. */
  readonly goingOn: (request: unknown) => unknown;
  /** Runs that are driven here, so that a wish to stop one is heard. */
  readonly driven: () => ReadonlyMap<string, () => void>;
  /** The others gave this worker up. */
  readonly givenUp: () => void;
  /** A user asked this worker to leave. */
  readonly drained: () => void;
}

export interface FleetWorker {
  /** Takes nothing more. */
  stopTaking(): Promise<void>;
  /** Leaves in good order: whatever is still held is free for the others. */
  leave(): Promise<void>;
}

/** How often to look for wishes to stop or to leave: a part of a second, since a person waits for it. */
const LOOK_MS = 300;
/** How often to look for workers that fell silent, in their time of silence: a run waits so much longer for its next worker. */
const SWEEPS_IN_A_SILENCE = 8;

export async function startFleetWorker(options: FleetWorkerOptions): Promise<FleetWorker> {
  const { store, concurrency, pollMs, protocol = PROTOCOL } = options;
  const { database, members } = store.surrounding;
  const { DBOS, DBOSClient } = await loadDbos();
  const { getExecutor } = await loadRecovery();
  await members.self();
  const config: DBOSConfig = {
    name: APPLICATION,
    systemDatabaseUrl: database.url,
    systemDatabasePoolSize: 5,
    systemDatabaseIdleTransactionTimeoutMs: members.silenceMs / 2,
    executorID: members.name,
    applicationVersion: protocol,
    logger: QUIET,
    useListenNotify: false,
    schedulerPollingIntervalMs: 60_000,
  };
  DBOS.setConfig(config);
  DBOS.registerWorkflow(options.drive, { name: DRIVE, maxRecoveryAttempts: 1_000_000 });
  DBOS.registerWorkflow(options.driveBranch, { name: BRANCH, maxRecoveryAttempts: 1_000_000 });
  // Before it is launched: a queue that is made later is found only after a while.
  const client = await DBOSClient.create({
    systemDatabaseUrl: database.url,
    systemDatabasePool: database.pool,
    applicationName: APPLICATION,
    logger: QUIET,
  });
  await client.registerQueue(QUEUE, { workerConcurrency: concurrency, minPollingIntervalMs: pollMs });
  await client.registerQueue(BRANCH_QUEUE, {
    workerConcurrency: concurrency,
    partitionWorkerConcurrency: 1,
    minPollingIntervalMs: pollMs,
  });
  holdToOwnLimits(await loadQueueRunner(), [QUEUE, BRANCH_QUEUE], {
    workerConcurrency: concurrency,
    minPollingIntervalMs: pollMs,
  });
  await DBOS.launch();
  wakeByDatabaseClock(getExecutor(), database);
  const grace = new Grace(members.silenceMs);
  const stranded = new StrandedRuns(database, members);
  const hearts = [
    every(
      members.beatMs,
      async () => {
        const began = performance.now();
        const { dead, server } = await members.beat();
        grace.beaten(began, server);
        if (dead) options.givenUp();
      },
      () => grace.missed(),
    ),
    every(
      members.silenceMs / SWEEPS_IN_A_SILENCE,
      async () => {
        if (!grace.isOver) return;
        await members.sweep(() => grace.isOver);
        const gone = await abandonedExecutors(database, members);
        if (gone.length > 0) await getExecutor().recoverPendingWorkflows(gone);
      },
      () => grace.missed(),
    ),
    every(LOOK_MS, async () => {
      const driven = options.driven();
      const rows = await database.rows<{ run_id: string | null }>(
        `select run_id from segno.runs where stop_requested and run_id = any($1::text[])
         union all select null from segno.workers where worker = $2 and draining and not dead`,
        [[...driven.keys()], members.name],
      );
      for (const { run_id } of rows) {
        if (run_id === null) options.drained();
        else driven.get(run_id)?.();
      }
    }),
    every(members.silenceMs / 4, async () => {
      if (!grace.isOver || isLeftOut("no-reconciler")) return;
      await releaseUnknownLeases(database, members, (runId, stream) => store.holds(runId, stream));
      for (const { runId, drive } of [...(await unbegunClaims(database, members)), ...(await stranded.look())])
        if (!options.driven().has(runId)) await store.fleet.next(runId, drive, { version: protocol, isStranded: true });
      for (const runId of await unheardRuns(database, members)) {
        if (options.driven().has(runId)) continue;
        // One that cannot be read here, or not any more, keeps no other from being heard.
        await store.fleet.afterLostPause(runId, options.goingOn).catch((problem: unknown) => {
          if (!isUnreadable(problem) && !(problem instanceof ChangedInDatabase)) throw problem;
        });
      }
    }),
  ];
  const stopTaking = async (): Promise<void> => {
    await getExecutor().deactivateEventReceivers();
  };
  return {
    stopTaking,
    async leave() {
      for (const stop of hearts) stop();
      await members.leave();
      await Promise.race([DBOS.shutdown().catch(() => {}), new Promise((done) => setTimeout(done, 2000).unref())]);
    },
  };
}

/** Again and again, never twice at once; what fails is tried again the next time. */
function every(ms: number, work: () => Promise<void>, failed: () => void = () => {}): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const turn = async (): Promise<void> => {
    try {
      await work();
    } catch {
      failed();
    }
    if (!isStopped) timer = setTimeout(() => void turn(), ms);
  };
  timer = setTimeout(() => void turn(), ms);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/**
 * DBOS keeps the settings of a queue in the database, where the worker that started last has set them for everybody. How
 * many drives a worker takes at a time, and how often it asks for more, is its own matter: each poll is held to that.
 */
function holdToOwnLimits(
  runner: QueueRunner,
  queues: readonly string[],
  limits: Pick<PolledQueue, "workerConcurrency" | "minPollingIntervalMs">,
): void {
  const poll = runner.pollQueue.bind(runner);
  runner.pollQueue = (executor, queue) => {
    if (queues.includes(queue.name)) Object.assign(queue, limits);
    return poll(executor, queue);
  };
}

/**
 * Drives that wait for their time are put into the queue by whichever worker finds that it has come. DBOS asks the clock of
 * the worker: one that is fast would wake everybody's at once. The database's clock decides instead.
 */
export function wakeByDatabaseClock({ systemDatabase }: DbosExecutor, database: Database): void {
  systemDatabase.transitionDelayedWorkflows = () => wakeInLanes(database, QUEUE, [BRANCH_QUEUE]);
}
