// Drives that wait for their time are put into the queue by whichever worker finds that it has come. DBOS asks the clock of
// the worker: one that is fast would wake everybody's at once. The database's clock decides instead. From its time on it waits
// for a worker, and not since it was put there: its place in the queue goes by that.
import type { Database } from "../database.ts";
import type { DbosExecutor } from "../packages.ts";
import { BRANCH_QUEUE, QUEUE } from "./queue.ts";

export function wakeByDatabaseClock({ systemDatabase }: DbosExecutor, database: Database): void {
  systemDatabase.transitionDelayedWorkflows = async () => {
    await database.run(
      `update dbos.workflow_status set status = 'ENQUEUED', created_at = delay_until_epoch_ms,
         updated_at = (extract(epoch from now()) * 1000)::bigint
       where status = 'DELAYED' and queue_name = any($1::text[])
         and delay_until_epoch_ms <= (extract(epoch from clock_timestamp()) * 1000)::bigint`,
      [[QUEUE, BRANCH_QUEUE]],
    );
  };
}
