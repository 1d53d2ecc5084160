// Outcomes of steps with `cache:`, shared by all runs of the fleet and found by hash.
import type { OutcomeTable } from "../../shared-state.ts";
import { StoreError } from "../../store-error.ts";
import type { Database } from "../database.ts";
import { openValue, type Seal } from "../seal.ts";

export class CacheTable implements OutcomeTable {
  readonly #database: Database;
  readonly #seal: Seal;
  readonly #now: () => number;

  constructor(database: Database, seal: Seal, now: () => number) {
    this.#database = database;
    this.#seal = seal;
    this.#now = now;
  }

  async get(hash: string): Promise<{ readonly value: unknown } | undefined> {
    const rows = await this.#database.rows<{ value: string }>(
      "select value from segno.cache where hash = $1 and (expires is null or expires > $2)",
      [hash, this.#now()],
    );
    try {
      return rows[0] && { value: openValue(this.#seal, rows[0].value, ["cache", hash]) };
    } catch (problem) {
      // Kept under a key that was taken away since: no run may wait for that one for good.
      if (problem instanceof StoreError && problem.code === "sealed") return undefined;
      throw problem;
    }
  }

  async put(hash: string, value: unknown, { ttl }: { readonly ttl?: number } = {}): Promise<void> {
    const now = this.#now();
    await this.#database.run(
      `with gone as (delete from segno.cache where expires <= $4 and hash <> $1)
       insert into segno.cache values ($1, $2, $3)
       on conflict (hash) do update set expires = excluded.expires, value = excluded.value`,
      [hash, ttl === undefined ? null : now + ttl, this.#seal.close(JSON.stringify(value), ["cache", hash]), now],
    );
  }
}
