// Workers on Postgres: the `WorkerHost` that starts them.
import { LeaseLost, StoreError } from "../../store-error.ts";
import type { WorkerHost } from "../../worker-host.ts";
import { isConnectionLoss } from "../connection.ts";
import { GivenUp } from "../lease.ts";
import { openPostgresStore } from "../store.ts";
import { PROTOCOL } from "./queue.ts";
import { startFleetWorker } from "./worker.ts";

/** Of each drive: one that writes, one that looks after what it shares. */
const CONNECTIONS_OF_A_DRIVE = 2;
/** For beats, sweeps and the queue. */
const CONNECTIONS_OF_A_WORKER = 6;

export const postgresWorkers: WorkerHost = {
  async start(url, options) {
    const { home, version, sealKey, name, concurrency, protocol = PROTOCOL, beatMs, silenceMs } = options;
    const store = await openPostgresStore(url, {
      home,
      version,
      sealKey,
      beatMs,
      silenceMs,
      // As many branches as drives.
      most: 2 * concurrency * CONNECTIONS_OF_A_DRIVE + CONNECTIONS_OF_A_WORKER,
      worker: { name, concurrency, protocol },
    });
    const { members, database, seal } = store.surrounding;
    try {
      await store.requireReadable();
      await store.sealSourcesAnew();
    } catch (problem) {
      await store.close();
      throw problem;
    }
    const worker = await startFleetWorker({
      ...options,
      store,
      protocol,
      drive: (runId, drive) => options.drive(store, runId, drive),
      driveBranch: (runId, stream, attempt) => options.driveBranch(store, runId, stream, attempt),
    });
    return { ...worker, store, name: members.name, shown: database.shown, isSealed: seal.isSealed };
  },

  isInfrastructureError: (problem) =>
    problem instanceof LeaseLost ||
    problem instanceof GivenUp ||
    isConnectionLoss(problem) ||
    (problem instanceof StoreError && isConnectionLoss(problem.cause)),
};
