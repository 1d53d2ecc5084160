// The queue that places drives: a drive of a run is one workflow of DBOS, `RUN:n`. Everything is written inside our own
// transactions, so that a run and its place in the queue are there together.

import type { QueueLane } from "../../fleet.ts";
import type { Database, Transaction } from "../database.ts";
import { loadDbos } from "../packages.ts";
import { placeInLane } from "./lanes.ts";
import { type Notice, Teller } from "./notices.ts";

export const APPLICATION = "segno";
export const QUEUE = "segno-drives";
export const DRIVE = "drive";
/** Branches have a queue of their own: drives that wait for them would keep them from ever being taken. */
export const BRANCH_QUEUE = "segno-branches";
export const BRANCH = "branch";

/**
 * The version of the journal's protocol: which workers understand which drives. Raised by hand, when a worker of the
 * version before could not go on with what one of this version has written.
 */
export const PROTOCOL = "2";

export const workflowId = (runId: string, drive: number): string => `${runId}:${drive}`;

export interface Enqueuing {
  readonly runId: string;
  readonly drive: number;
  /** Not before so many seconds. */
  readonly delaySeconds?: number;
  readonly version?: string;
  /** That of the drive before when left out. */
  readonly lane?: QueueLane;
}

export interface EnqueuingBranch {
  readonly runId: string;
  /** Of the group's spread. */
  readonly name: string;
  readonly stream: string;
  readonly attempt: number;
  readonly delaySeconds?: number;
  readonly version?: string;
}

export const branchId = (runId: string, stream: string, attempt: number): string => `${runId}:${stream}:${attempt}`;

export class DriveQueue {
  readonly #database: Database;
  readonly #teller: Teller;
  #client: Promise<Client> | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#teller = new Teller(database);
  }

  #open(): Promise<Client> {
    this.#client ??= loadDbos().then(({ DBOSClient }) =>
      DBOSClient.create({
        systemDatabaseUrl: this.#database.url,
        systemDatabasePool: this.#database.pool,
        applicationName: APPLICATION,
        logger: QUIET,
      }),
    );
    return this.#client;
  }

  /** After the commit: workers look at once. */
  tell(notice: Notice): Promise<void> {
    return this.#teller.tell(notice);
  }

  /** Loads what it needs, before a transaction waits for it. */
  async ready(): Promise<void> {
    await this.#open();
  }

  async enqueue(sql: Transaction, { runId, drive, delaySeconds, version = PROTOCOL, lane }: Enqueuing): Promise<void> {
    const client = await this.#open();
    await client.enqueueInTransaction(
      sql.client,
      {
        queueName: QUEUE,
        workflowName: DRIVE,
        workflowID: workflowId(runId, drive),
        appVersion: version,
        ...delayed(delaySeconds),
      },
      runId,
      drive,
    );
    await this.#delay(sql, workflowId(runId, drive), delaySeconds);
    const ids = { id: workflowId(runId, drive), before: workflowId(runId, drive - 1) };
    await placeInLane(sql, QUEUE, { ...ids, ...(lane ? { lane } : {}) });
  }

  /** DBOS counts by the clock of this machine; those that wait are woken by the database's. */
  async #delay(sql: Transaction, id: string, delaySeconds = 0): Promise<void> {
    if (delaySeconds > 0)
      await sql.run(
        `update dbos.workflow_status set delay_until_epoch_ms = (extract(epoch from clock_timestamp()) * 1000)::bigint + $2
         where workflow_uuid = $1 and status = 'DELAYED'`,
        [id, Math.ceil(delaySeconds * 1000)],
      );
  }

  /** A share of a spread group; of each group a worker takes one at a time, so that all of them get some. */
  async enqueueBranch(
    sql: Transaction,
    { runId, name, stream, attempt, delaySeconds, version = PROTOCOL }: EnqueuingBranch,
  ): Promise<void> {
    const client = await this.#open();
    await client.enqueueInTransaction(
      sql.client,
      {
        queueName: BRANCH_QUEUE,
        workflowName: BRANCH,
        workflowID: branchId(runId, stream, attempt),
        queuePartitionKey: `${runId} ${name}`,
        appVersion: version,
        ...delayed(delaySeconds),
      },
      runId,
      stream,
      attempt,
    );
    await this.#delay(sql, branchId(runId, stream, attempt), delaySeconds);
  }

  async close(): Promise<void> {
    await (await this.#client)?.destroy();
  }
}

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof loadDbos>>["DBOSClient"]["create"]>>;

const ignore = (): void => {};
export const QUIET = { info: ignore, warn: ignore, error: ignore, debug: ignore };

/** DBOS writes the moment as a whole number of milliseconds, and takes no delay of nothing; a retry's has fractions. */
const delayed = (seconds = 0): { readonly delaySeconds?: number } =>
  seconds > 0 ? { delaySeconds: Math.ceil(seconds * 1000) / 1000 } : {};
