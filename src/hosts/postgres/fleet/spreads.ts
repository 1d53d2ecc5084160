// Groups that a run hands out: one share for each worker that is there, each with a stream, a lease and a workflow of its own,
// written together by who has the run; and how that drive looks after them.

import type { RunMeta } from "../../run-reader.ts";
import type { HandedBack, HandedOut, SpreadGround, SpreadNews, StreamNews } from "../../spreading.ts";
import { openValue } from "../../state/seal.ts";
import { LeaseLost, StoreError } from "../../store-error.ts";
import type { ShareProblem } from "../../worker-host.ts";
import type { Transaction } from "../database.ts";
import { cancelWorkflow, NOT_TAKEN, WORKFLOWS } from "../dbos.ts";
import { isHeard, nowAt, understands } from "../members.ts";
import { PostgresReader, type Surrounding } from "../reader.ts";
import { comparedKeys, keptKey } from "../state.ts";
import type { Teller } from "./notices.ts";
import { branchId, enqueueBranch } from "./queue.ts";
import { placeBranchAgain } from "./share.ts";
import { CLAIMED_LONG_AGO } from "./stranded.ts";

export class RunSpreads implements SpreadGround {
  constructor(private readonly options: GroundOptions) {}

  get #runId(): string {
    return this.options.meta.runId;
  }

  /** The newest first: one that is there may have been named under an earlier key. */
  #namesOf(key: string): readonly string[] {
    const { surrounding, requestSeq } = this.options;
    return comparedKeys(key, surrounding.seal).map((compared) => `${compared}@${requestSeq}`);
  }

  async find(key: string): Promise<HandedOut | undefined> {
    const { database, seal } = this.options.surrounding;
    const [row] = await database.rows<{ name: string; items: string }>(
      "select name, items from segno.spreads where run_id = $1 and name = any($2::text[])",
      [this.#runId, this.#namesOf(key)],
    );
    return row && new HandedOutItems(this.options, row.name, openValue(seal, row.items, [this.#runId, row.name]));
  }

  /** Only what was recorded of them counts, so their items are not read: they may have been changed in the database. */
  async leftovers(key: string): Promise<readonly HandedOut[]> {
    const rows = await this.options.surrounding.database.rows<{ name: string }>(
      "select name from segno.spreads where run_id = $1 and name <> all($2::text[])",
      [this.#runId, this.#namesOf(key)],
    );
    return rows.map(({ name }) => new HandedOutItems(this.options, name, []));
  }

  async handOut(key: string, items: readonly string[], concurrency: number): Promise<HandedOut | undefined> {
    const { surrounding, teller } = this.options;
    const [name = ""] = this.#namesOf(key);
    const kept = keptKey(key, surrounding.seal);
    const isHandedOut = await surrounding.database.transaction(async (sql) => {
      await this.#requireOurs(sql);
      const shares = Math.min(concurrency, items.length, await this.#workers(sql));
      if (shares < 2) return false;
      // Once: a connection that was lost after the commit makes this be done again.
      const made = await sql.run(
        `insert into segno.spreads (run_id, name, key, whole, after_seq, items, count)
         select $1, $2, $3, $6, coalesce((select last_seq from segno.events where run_id = $1 and stream = ''
           order by first_seq desc limit 1), 0), $4, $5 on conflict do nothing`,
        [
          ...[this.#runId, name, kept.key],
          ...[surrounding.seal.close(JSON.stringify(items), [this.#runId, name]), items.length, kept.whole],
        ],
      );
      if (made === 1)
        for (const [at, share] of sharesOf(concurrency, shares).entries()) await this.#place(sql, name, at + 1, share);
      return true;
    });
    if (isHandedOut) await teller.tell("branch");
    return isHandedOut ? new HandedOutItems(this.options, name, items) : undefined;
  }

  async #place(sql: Transaction, name: string, number: number, concurrency: number): Promise<void> {
    const runId = this.#runId;
    const stream = `${name}/${number}`;
    await sql.run("insert into segno.branches (run_id, stream, name, concurrency) values ($1, $2, $3, $4)", [
      ...[runId, stream, name, concurrency],
    ]);
    await enqueueBranch(sql, { runId, name, stream, attempt: 1, version: this.options.protocol });
  }

  async #requireOurs(sql: Transaction): Promise<void> {
    const ours = await sql.rows(
      "select 1 from segno.leases where run_id = $1 and stream = '' and epoch = $2 for share",
      [this.#runId, this.options.epoch],
    );
    if (ours.length === 0) throw new LeaseLost(this.#runId, undefined);
  }

  /** Workers that would take a share. */
  async #workers(sql: Transaction): Promise<number> {
    const { members } = this.options.surrounding;
    const rows = await sql.rows<{ n: string }>(
      `select count(*) as n from segno.workers w where not dead and not draining and ${isHeard(1, 2)}
         and ${understands("$3")}`,
      [members.clock, members.silenceMs, this.options.protocol],
    );
    return Number(rows[0]?.n ?? 0);
  }
}

/** `max_concurrent` in as many parts as there are shares: together they are never more. */
export const sharesOf = (concurrency: number, shares: number): readonly number[] =>
  Array.from({ length: shares }, (_, at) => Math.floor(concurrency / shares) + (at < concurrency % shares ? 1 : 0));

interface GroundOptions {
  readonly surrounding: Surrounding;
  readonly teller: Teller;
  readonly meta: RunMeta;
  /** Under which the run was taken. */
  readonly epoch: number;
  /** Which request the drive is for: a later one hands out anew. */
  readonly requestSeq: number;
  readonly protocol: string;
}

interface BranchRow {
  readonly stream: string;
  readonly heard: string;
  readonly ended: boolean;
  readonly handed_back: string | null;
  readonly failed: string | null;
  readonly last: string | null;
}

/** The worker that took a share could not drive it, and no other worker could. */
export class ShareFailed extends Error {
  override readonly name = "ShareFailed";
}

class HandedOutItems implements HandedOut {
  readonly items: ReadonlySet<string>;
  readonly #options: GroundOptions;
  readonly #name: string;
  /** How far each stream was read here. */
  readonly #read = new Map<string, number>();
  /** Of each stream: what the run's journal had of it at the first look. */
  readonly #taken = new Map<string, number>();
  #lookedForStranded = performance.now();

  constructor(options: GroundOptions, name: string, items: readonly string[]) {
    this.#options = options;
    this.#name = name;
    this.items = new Set(items);
  }

  get #database() {
    return this.#options.surrounding.database;
  }

  get #runId(): string {
    return this.#options.meta.runId;
  }

  async look(): Promise<SpreadNews> {
    await this.#wakeStranded();
    // Asked before the events are read: what it says has ended is whole then.
    const rows = await this.#database.rows<BranchRow>(
      `select stream, heard, ended, handed_back, failed, (select last_seq from segno.events e
         where e.run_id = b.run_id and e.stream = b.stream order by first_seq desc limit 1) as last
       from segno.branches b where run_id = $1 and name = $2 order by stream`,
      [this.#runId, this.#name],
    );
    const streams: StreamNews[] = [];
    for (const row of rows) {
      const { stream, last } = row;
      if (!this.#taken.has(stream)) this.#taken.set(stream, Number(row.heard));
      if (Number(last ?? 0) > (this.#read.get(stream) ?? 0)) streams.push(await this.#newsOf(stream));
    }
    const isOver = rows.every(({ ended }) => ended);
    const failed = rows.find((row) => row.failed !== null)?.failed;
    return {
      ...{ streams, handedBack: isOver ? rows.flatMap((row) => this.#handedBack(row)) : [], isOver },
      ...(failed ? { failed: this.#failure(failed) } : {}),
    };
  }

  #failure(failed: string): Error {
    const { seal } = this.#options.surrounding;
    const { message, code } = openValue<ShareProblem>(seal, failed, [this.#runId, this.#name, "failed"]);
    return code ? new StoreError(code, message, this.#runId) : new ShareFailed(message);
  }

  async #newsOf(stream: string): Promise<StreamNews> {
    const { surrounding, meta } = this.#options;
    const events = [];
    for await (const event of new PostgresReader(surrounding, meta, stream).events(this.#read.get(stream)))
      events.push(event);
    const last = events.at(-1);
    if (last) this.#read.set(stream, last.seq);
    return { stream, events, taken: this.#taken.get(stream) ?? 0 };
  }

  #handedBack({ handed_back }: BranchRow): readonly HandedBack[] {
    return handed_back === null ? [] : (JSON.parse(this.#open(handed_back, "handed back")) as readonly HandedBack[]);
  }

  #open(sealed: string, what: string): string {
    return this.#options.surrounding.seal.open(sealed, [this.#runId, this.#name, what]);
  }

  /** Shares that no worker has or will take: as for runs, see `stranded.ts`. */
  async #wakeStranded(): Promise<void> {
    const { members } = this.#options.surrounding;
    if (performance.now() - this.#lookedForStranded < members.silenceMs / 4) return;
    this.#lookedForStranded = performance.now();
    const rows = await this.#database.rows<{ stream: string; attempt: number }>(
      `select stream, attempt from segno.branches b where run_id = $3 and name = $4 and not ended
         and abs(extract(epoch from clock_timestamp() - placed_at)) > $2::bigint / 4000.0
         and not exists (select 1 from segno.leases l
           where l.run_id = b.run_id and l.stream = b.stream and segno.lives(l.holder, ${nowAt(1)}, $2::bigint))
         and not exists (select 1 from ${WORKFLOWS} s
           where s.workflow_uuid = b.run_id || ':' || b.stream || ':' || b.attempt
             and s.status in ('ENQUEUED', 'DELAYED', 'PENDING') and not (${CLAIMED_LONG_AGO})
             and exists (select 1 from segno.workers w where not w.dead and ${understands("s.application_version")}))`,
      [members.clock, members.silenceMs, this.#runId, this.#name],
    );
    const { surrounding, teller, protocol } = this.#options;
    for (const { stream, attempt } of rows)
      await placeBranchAgain(surrounding.database, teller, {
        ...{ runId: this.#runId, name: this.#name, stream, attempt, version: protocol },
      });
  }

  /** Shares that no worker has begun, or that wait for their time, are taken out of the queue. */
  async stop(): Promise<void> {
    await this.#database.transaction(async (sql) => {
      const ours = await sql.run(
        `update segno.spreads set stopped = true where run_id = $1 and name = $2 and exists (
           select 1 from segno.leases where run_id = $1 and stream = '' and epoch = $3 for share)`,
        [this.#runId, this.#name, this.#options.epoch],
      );
      if (ours === 0) return;
      const rows = await sql.rows<{ stream: string; attempt: number }>(
        "select stream, attempt from segno.branches where run_id = $1 and name = $2 and not ended for update",
        [this.#runId, this.#name],
      );
      for (const { stream, attempt } of rows) {
        if (await cancelWorkflow(sql, branchId(this.#runId, stream, attempt), NOT_TAKEN))
          await sql.run("update segno.branches set ended = true where run_id = $1 and stream = $2", [
            ...[this.#runId, stream],
          ]);
      }
    });
  }

  /** What they recorded is in the run's journal. A worker that lost its stream can write nothing more to it. */
  async close(): Promise<void> {
    const streams = `run_id = $1 and stream in (select stream from segno.branches where run_id = $1 and name = $2)`;
    await this.#database.transaction(async (sql) => {
      const values = [this.#runId, this.#name];
      await sql.run(`delete from segno.leases where ${streams}`, values);
      await sql.run(`delete from segno.events where ${streams}`, values);
      for (const table of ["claims", "branches", "spreads"])
        await sql.run(`delete from segno.${table} where run_id = $1 and name = $2`, values);
    });
  }
}
