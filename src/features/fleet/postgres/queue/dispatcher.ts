// Gives a worker its work: asks the queue when there may be something in it and a place is free, and starts what it gets.

import { freeLease, MAIN } from "../lease.ts";
import type { PostgresStore } from "../store.ts";
import type { WorkerOptions } from "../worker-host.ts";
import { claimBranches, claimDrives, markDone } from "./claims.ts";
import { BRANCH_QUEUE, QUEUE } from "./queue.ts";

/** `concurrency`: of drives, and as many of shares of groups. */
type DispatchOptions = Required<Pick<WorkerOptions, "concurrency" | "protocol" | "drive" | "driveBranch">>;

/** Between two looks that notices asked for: a hundred of them in a moment are one look. */
const APART_MS = 10;

export class Dispatcher {
  readonly #drives: Line;
  readonly #branches: Line;

  constructor(
    private readonly store: PostgresStore,
    private readonly options: DispatchOptions,
  ) {
    const { concurrency } = options;
    this.#drives = new Line(concurrency, (free) => this.#takeDrives(free));
    this.#branches = new Line(concurrency, (free) => this.#takeBranches(free));
  }

  look(what: "drive" | "branch"): void {
    (what === "drive" ? this.#drives : this.#branches).look();
  }

  /** Takes nothing more; resolves when nothing is being taken. */
  async stop(): Promise<void> {
    await Promise.all([this.#drives.stop(), this.#branches.stop()]);
  }

  #asking(queue: string, most: number) {
    const { name: worker, clock } = this.store.access.members;
    return { worker, clock, queue, version: this.options.protocol, most };
  }

  async #takeDrives(most: number): Promise<number> {
    const { store } = this;
    const rows = await claimDrives(store.access.database, this.#asking(QUEUE, most));
    for (const row of rows) {
      const { id } = row;
      if (row.epoch !== null) store.claims.add(id, row);
      const [runId = "", number] = id.split(":");
      this.#drives.begin(this.#untilDone(id, () => this.options.drive(store, runId, Number(number))));
    }
    return rows.length;
  }

  async #takeBranches(most: number): Promise<number> {
    const { store } = this;
    const rows = await claimBranches(store.access.database, this.#asking(BRANCH_QUEUE, most), [
      ...this.#branches.groups,
    ]);
    for (const { id, partition } of rows) {
      // The stream's name may have colons of its own.
      const [first, last] = [id.indexOf(":"), id.lastIndexOf(":")];
      const place = [id.slice(0, first), id.slice(first + 1, last), Number(id.slice(last + 1))] as const;
      const work = this.#untilDone(id, () => this.options.driveBranch(store, ...place));
      this.#branches.begin(work, partition);
    }
    return rows.length;
  }

  /** Whatever became of it: what a drive leaves undone another one does. */
  async #untilDone(id: string, work: () => Promise<void>): Promise<void> {
    const { claims, access } = this.store;
    const { database, members } = access;
    await work().catch(() => {});
    const untaken = claims.take(id);
    if (untaken) await freeLease(database, untaken.run_id, MAIN, untaken.epoch).catch(() => {});
    // Not waited for: the place is free.
    if (!claims.wasDone(id)) void database.run(markDone("$1", "$2"), [id, members.name]).catch(() => {});
  }
}

/** Work of one kind that goes on here, and when to look for more. */
class Line {
  readonly groups = new Set<string>();
  #underway = 0;
  /** The last look took all that it asked for: there may be more. */
  #isMore = false;
  #isWanted = false;
  #isStopped = false;
  #looking: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly places: number,
    private readonly take: (free: number) => Promise<number>,
  ) {}

  look(): void {
    this.#isWanted = true;
    this.#looking ??= this.#lookWhileWanted().finally(() => {
      this.#looking = undefined;
      // Wanted between the last look and now.
      if (this.#isWanted && this.#isFree) this.look();
    });
  }

  get #isFree(): boolean {
    return !this.#isStopped && this.#underway < this.places;
  }

  async #lookWhileWanted(): Promise<void> {
    while (this.#isWanted && this.#isFree) {
      const early = this.#lookedAt + APART_MS - performance.now();
      if (early > 0 && !this.#isMore) await new Promise((later) => setTimeout(later, early));
      if (!this.#isFree) return;
      this.#isWanted = false;
      this.#lookedAt = performance.now();
      const free = this.places - this.#underway;
      // What fails is looked for again with the next poll.
      const taken = await this.take(free).catch(() => 0);
      this.#isMore = taken >= free;
      this.#isWanted ||= this.#isMore;
    }
  }

  begin(work: Promise<void>, group?: string): void {
    this.#underway += 1;
    if (group !== undefined) this.groups.add(group);
    void work.finally(() => {
      this.#underway -= 1;
      if (group !== undefined) this.groups.delete(group);
      // Another share of the group may wait for this place.
      if (this.#isWanted || group !== undefined) this.look();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#looking;
  }
}
