// The queue that places drives: a drive of a run is one workflow of DBOS, `RUN:n`. Everything is written inside our own
// transactions, so that a run and its place in the queue are there together.

import type { Database, Transaction } from "../database.ts";
import { loadDbos } from "../packages.ts";

export const APPLICATION = "segno";
export const QUEUE = "segno-drives";
export const DRIVE = "drive";

/**
 * The version of the journal's protocol: which workers understand which drives. Raised by hand, when a worker of the
 * version before could not go on with what one of this version has written.
 */
export const PROTOCOL = "1";

export const workflowId = (runId: string, drive: number): string => `${runId}:${drive}`;

export interface Enqueuing {
  readonly runId: string;
  readonly drive: number;
  /** Not before so many seconds. */
  readonly delaySeconds?: number;
  readonly version?: string;
}

export class DriveQueue {
  readonly #database: Database;
  #client: Promise<Client> | undefined;

  constructor(database: Database) {
    this.#database = database;
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

  /** Loads what it needs, before a transaction waits for it. */
  async ready(): Promise<void> {
    await this.#open();
  }

  async enqueue(sql: Transaction, { runId, drive, delaySeconds, version = PROTOCOL }: Enqueuing): Promise<void> {
    const client = await this.#open();
    await client.enqueueInTransaction(
      sql.client,
      {
        queueName: QUEUE,
        workflowName: DRIVE,
        workflowID: workflowId(runId, drive),
        appVersion: version,
        ...(delaySeconds !== undefined && delaySeconds > 0 ? { delaySeconds } : {}),
      },
      runId,
      drive,
    );
  }

  async close(): Promise<void> {
    await (await this.#client)?.destroy();
  }
}

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof loadDbos>>["DBOSClient"]["create"]>>;

const ignore = (): void => {};
export const QUIET = { info: ignore, warn: ignore, error: ignore, debug: ignore };
