// All that Segno needs of DBOS, whose table of workflows is the queue of a fleet. A drive of a run is one workflow, a share of a
// spread group another. DBOS makes its tables; everything else is done by statements of ours over them, which need a tenth of
// what its executor needs. A run and its place in the queue are one statement, where its client needs two more and a
// transaction around all of them.
//
// DBOS documents neither its tables nor `ensureSystemDatabase`, which makes them: its documented `DBOS.launch` does that too, but
// begins to execute workflows. So one version is asked for, exactly. Before it is another one (`src/features/fleet/test/dbos.test.ts` holds
// the first two):
//
// | what changes | what breaks |
// |---|---|
// | a column of `COLUMNS` is gone or renamed | every statement over the queue fails (42703): nothing is placed or taken, nothing is lost |
// | a column without a default is added, or a status is renamed | nothing is placed, or DBOS's own tools do not understand what is |
// | `ensureSystemDatabase` is gone, or takes other parameters | no fleet can be set up; those that are there go on |
// | its tables need a migration | theirs is run for new fleets only (`migrate.ts`): an older fleet needs one of ours that calls it |
// | it wants another index for what we ask | `src/features/fleet/test/plans.test.ts` fails |
import type * as pg from "pg";
import { raw, type Sql, sql } from "../../../storage/state/sql.ts";
import { StoreError } from "../../../storage/store-error.ts";
import { DATABASE_NOW } from "./connection.ts";

const DBOS = "@dbos-inc/dbos-sdk";
export const DBOS_VERSION = "5.3.0";

/** Its schema, and the table that is the queue. What it keeps of arguments and results goes with nothing else. */
const SCHEMA = "dbos";
export const WORKFLOWS = `${SCHEMA}.workflow_status`;
export const TABLES = ["workflow_input", "workflow_output", "workflow_status"].map((table) => `${SCHEMA}.${table}`);

/** The columns of the queue that statements of ours name. Times are epoch milliseconds. */
export const COLUMNS = [
  "workflow_uuid",
  "name",
  "application_version",
  "queue_name",
  "queue_partition_key",
  "priority",
  "created_at",
  "updated_at",
  "completed_at",
  "started_at_epoch_ms",
  "delay_until_epoch_ms",
  // Who has claimed it, and how often it was; `owner_xid` is DBOS's own mark of that, which has to be empty.
  "status",
  "executor_id",
  "recovery_attempts",
  "owner_xid",
] as const;

/** In the queue, or put off until its time: no worker has it. */
export const NOT_TAKEN = "status in ('ENQUEUED', 'DELAYED')";
export const TAKEN_BY_WORKER = "status = 'PENDING'";

export interface NewWorkflow {
  readonly queue: string;
  readonly name: string;
  readonly id: string;
  /** Only workers of this version take it. */
  readonly version: string;
  /** Not before so many seconds. */
  readonly delaySeconds?: number;
}

/** Puts it into the queue, once. `place`: gives its partition and priority; where it gives nothing, nothing is put there. */
export function newWorkflow({ queue, name, id, version, delaySeconds = 0 }: NewWorkflow, place: Sql): Sql {
  // A whole number: a retry's delay has fractions.
  const delayMs = Math.ceil(delaySeconds * 1000);
  return sql`insert into ${raw(WORKFLOWS)} (workflow_uuid, name, queue_name, application_version, application_name, status,
      created_at, updated_at, delay_until_epoch_ms, queue_partition_key, priority)
    select ${id}, ${name}, ${queue}, ${version}, 'segno', ${delayMs > 0 ? "DELAYED" : "ENQUEUED"}, now.ms, now.ms,
      now.ms + ${delayMs > 0 ? delayMs : null}::bigint, place.*
    from (${place}) place, (select ${raw(DATABASE_NOW)} as ms) now
    on conflict do nothing`;
}

/** Takes a workflow out of the queue, if it is in the state of that condition. */
export async function cancelWorkflow(
  queries: { run(text: string, values: readonly string[]): Promise<number> },
  id: string,
  state: typeof NOT_TAKEN | typeof TAKEN_BY_WORKER,
): Promise<boolean> {
  const cancelled = await queries.run(
    `update ${WORKFLOWS} set status = 'CANCELLED', updated_at = ${DATABASE_NOW} where workflow_uuid = $1 and ${state}`,
    [id],
  );
  return cancelled === 1;
}

/** Makes its tables, in no transaction of ours. */
export async function makeTables(url: string): Promise<void> {
  interface Internals {
    ensureSystemDatabase(url: string, logger: object, pool: unknown, schema: string, listens: boolean): Promise<void>;
  }
  const { ensureSystemDatabase } = await loaded<Internals>(`${DBOS}/internal/system_database`);
  await ensureSystemDatabase(url, QUIET, undefined, SCHEMA, true);
}

const ignore = (): void => {};
const QUIET = { info: ignore, warn: ignore, error: ignore, debug: ignore };

/** The other package that only a fleet needs. */
export const loadPg = (): Promise<typeof pg> => loaded<typeof pg>("pg");

/** Where the command line leaves an `import()` that works: in scripts of which compiled code is kept, Node 20 has none. */
const IMPORT = Symbol.for("segno.import");

type Import = (name: string) => Promise<unknown>;

/** The name is known at run time only, so that bundlers leave the package alone and nothing else loads it. */
async function loaded<Package>(name: string): Promise<Package> {
  const given = (globalThis as { [IMPORT]?: Import })[IMPORT];
  try {
    const found = (await (given ? given(name) : import(name))) as { readonly default?: object };
    // A CommonJS package as an ES module has its exports under `default` as well.
    return { ...found, ...(found.default ?? {}) } as Package;
  } catch (problem) {
    throw new StoreError(
      "missing_package",
      `Runs on Postgres need two packages that Segno does not bring along, and ${name} cannot be loaded (${(problem as { code?: string }).code ?? String(problem)}). Install them beside Segno with: npm install pg ${DBOS}@${DBOS_VERSION}`,
      name,
      problem,
    );
  }
}
