// The connections of this process to one Postgres.
import type * as pg from "pg";

export interface PoolOptions {
  readonly most: number;
  /**
   * How long a transaction may do nothing. A process that is stopped inside of one keeps what it has locked: without an
   * end to that, one that stopped while it looked for the dead kept everybody else from looking.
   */
  readonly idleMs: number;
}

export interface SharedPool {
  readonly pool: pg.Pool;
  /** The last one closes it. */
  leave(): Promise<void>;
}

const pools = new Map<string, SharedPool & { users: number }>();

/** Requests of one process that are underway at once share their connections, so that many of them need no more. */
export function sharedPool({ Pool }: typeof pg, url: string, { most, idleMs }: PoolOptions): SharedPool {
  const key = JSON.stringify([url, most, idleMs]);
  const there = pools.get(key);
  if (there) {
    there.users += 1;
    return there;
  }
  const pool = new Pool({
    connectionString: url,
    max: most,
    application_name: "segno",
    connectionTimeoutMillis: 5000,
    idle_in_transaction_session_timeout: idleMs,
    // A command that is done should not wait for its connections to be.
    allowExitOnIdle: true,
  });
  // An idle connection whose server went away; the next query gets a new one.
  pool.on("error", () => {});
  // A client that is out needs a listener of its own, or its loss ends the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  const made = {
    ...{ pool, users: 1 },
    async leave(): Promise<void> {
      made.users -= 1;
      if (made.users > 0) return;
      pools.delete(key);
      await pool.end();
    },
  };
  pools.set(key, made);
  return made;
}
