// Outcomes of steps with `cache:`, shared by all runs of the fleet and found by hash.
import type { OutcomeTable } from "../../shared-state.ts";
import type { Database } from "../database.ts";
import { isOpenTo, openValue, type Seal, sealingKey } from "../seal.ts";

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
    const [row] = rows;
    return row && !this.#isOfOthers(row.value)
      ? { value: openValue(this.#seal, row.value, ["cache", hash]) }
      : undefined;
  }

  /** Kept under a key that was taken away since, or before there was one: not used, and nothing that a run may wait for. */
  #isOfOthers(value: string): boolean {
    return !isOpenTo(this.#seal, value) && (sealingKey(value) !== null || isJson(value));
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
