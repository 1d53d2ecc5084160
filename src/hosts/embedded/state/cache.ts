// Outcomes of steps with `cache:`, shared by all runs and found by hash.
import type { OutcomeTable } from "../../shared-state.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { immediately } from "../../sqlite/transaction.ts";

export class CacheTable implements OutcomeTable {
  readonly #connection: Connection;
  readonly #now: () => number;

  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
  }

  /** What is kept under the hash, in a box so that a kept `null` can be told from nothing. */
  get(hash: string, now: number = this.#now()): { readonly value: unknown } | undefined {
    const row = this.#connection
      .prepare<{ value: string }>("SELECT value FROM cache WHERE hash = ? AND (expires IS NULL OR expires > ?)")
      .get([hash, now]);
    return row && { value: JSON.parse(row.value) as unknown };
  }

  /** Keeps a value, for `ttl` milliseconds or for good, and drops what has run out. */
  put(hash: string, value: unknown, { ttl }: { readonly ttl?: number } = {}): void {
    const now = this.#now();
    immediately(this.#connection, () => {
      this.#connection.prepare("DELETE FROM cache WHERE expires <= ?").run([now]);
      this.#connection
        .prepare("INSERT OR REPLACE INTO cache (hash, expires, value) VALUES (?, ?, ?)")
        .run([hash, ttl === undefined ? null : now + ttl, JSON.stringify(value)]);
    });
  }
}
