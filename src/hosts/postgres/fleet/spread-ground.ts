// Handing out the items of a group: one share for each worker that is there, each with a stream, a lease and a workflow of
// its own. Everything is written together, by who has the run.
import type { HandedOut, SpreadGround } from "../../spreading.ts";
import { openValue } from "../../state/seal.ts";
import { LeaseLost } from "../../store-error.ts";
import type { Transaction } from "../database.ts";
import { comparedKeys, keptKey } from "../kept-key.ts";
import { isHeard, understands } from "../members.ts";
import { type GroundOptions, HandedOutItems } from "./handed-out.ts";
import { enqueueBranch } from "./queue.ts";

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
