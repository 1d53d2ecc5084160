// The queue that places drives: a drive of a run is one workflow, `RUN:n`. Everything is written inside our own
// transactions, so that a run and its place in the queue are there together.

import type { QueueLane } from "../../fleet.ts";
import type { Database, Transaction } from "../database.ts";
import { DbosClient } from "../dbos.ts";
import { placeInLane } from "./lanes.ts";
import { type Notice, Teller } from "./notices.ts";

export const QUEUE = "segno-drives";
const DRIVE = "drive";
/** Branches have a queue of their own: drives that wait for them would keep them from ever being taken. */
export const BRANCH_QUEUE = "segno-branches";
const BRANCH = "branch";

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
  readonly #teller: Teller;
  readonly #dbos: DbosClient;

  constructor(database: Database) {
    this.#teller = new Teller(database);
    this.#dbos = new DbosClient(database);
  }

  /** After the commit: workers look at once. */
  tell(notice: Notice): Promise<void> {
    return this.#teller.tell(notice);
  }

  /** Loads what it needs, before a transaction waits for it. */
  async ready(): Promise<void> {
    await this.#dbos.ready();
  }

  async enqueue(sql: Transaction, { runId, drive, delaySeconds, version = PROTOCOL, lane }: Enqueuing): Promise<void> {
    const id = workflowId(runId, drive);
    await this.#dbos.enqueue(sql, { queue: QUEUE, name: DRIVE, id, version, delaySeconds, args: [runId, drive] });
    await placeInLane(sql, QUEUE, { id, before: workflowId(runId, drive - 1), lane });
  }

  /** A share of a spread group; of each group a worker takes one at a time, so that all of them get some. */
  async enqueueBranch(
    sql: Transaction,
    { runId, name, stream, attempt, delaySeconds, version = PROTOCOL }: EnqueuingBranch,
  ): Promise<void> {
    const id = branchId(runId, stream, attempt);
    const [partition, args] = [`${runId} ${name}`, [runId, stream, attempt]];
    await this.#dbos.enqueue(sql, { queue: BRANCH_QUEUE, name: BRANCH, id, version, partition, delaySeconds, args });
  }

  close(): Promise<void> {
    return this.#dbos.close();
  }
}
