// The connection of this process to a Postgres: its address, how long to wait while it is restarted or away, the pool
// of connections, and its clock, which the whole fleet uses.
import type * as pg from "pg";
import { whyNoPostgres } from "../../../base/redact/postgres-address.ts";
import { StoreError } from "../../../storage/store-error.ts";

/** The server shuts down, crashed, starts, has no place for one more connection or ended an idle transaction; or the network broke. */
const PASSING: ReadonlySet<string> = new Set([
  "25P03",
  "53300",
  "57P01",
  "57P02",
  "57P03",
  "08000",
  "08001",
  "08003",
  "08004",
  "08006",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** The driver gives these no code. */
const PASSING_TEXT =
  /Connection terminated|not queryable|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed/;

export function isConnectionLoss(problem: unknown): boolean {
  if (!(problem instanceof Error)) return false;
  const { code } = problem as { code?: unknown };
  if (typeof code === "string") return PASSING.has(code);
  if (problem instanceof AggregateError && problem.errors.length > 0) return problem.errors.every(isConnectionLoss);
  return PASSING_TEXT.test(problem.message);
}

export interface Patience {
  readonly forMs: number;
  readonly signal?: AbortSignal;
}

const FIRST_MS = 20;
const LONGEST_MS = 500;

/** Does the work, and does it again while the connection is lost; `work` must bear being done twice. */
export async function patiently<Result>(work: () => Promise<Result>, { forMs, signal }: Patience): Promise<Result> {
  const began = performance.now();
  for (let pause = FIRST_MS; ; pause = Math.min(pause * 2, LONGEST_MS)) {
    try {
      return await work();
    } catch (problem) {
      if (!isConnectionLoss(problem) || signal?.aborted || performance.now() - began > forMs) throw problem;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

export interface PoolOptions {
  readonly most: number;
  /** How long a transaction may do nothing: a process that is stopped inside of one keeps what it has locked. */
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
    pool,
    users: 1,
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

const UNSHOWN = "the address that was given";

/** Without the password, and without what stands behind the question mark: keys may be there too. */
export function shownAddress(url: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(url);
    return `${protocol}//${username ? `${username}@` : ""}${host}${pathname}`;
  } catch {
    return UNSHOWN;
  }
}

/** Said before anything is asked of the network. Nothing of the address is quoted: what is misread may be a password. */
export function requireAddress(url: string): void {
  const problem = whyNoPostgres(url);
  if (problem === undefined) return;
  throw new StoreError(
    "io",
    `The address of the fleet (--on or SEGNO_ON) cannot be used: ${problem}. It looks like postgres://user:password@host:5432/database.`,
    UNSHOWN,
  );
}

/** In milliseconds. */
export const DATABASE_NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** So far the database's time may be corrected without ever going back here. */
const MOMENT_MS = 1000;

export class DatabaseClock {
  /** How far the database's time is ahead of `performance.now()`. */
  #ahead: number | undefined;
  /** And by how much that may be wrong. */
  #uncertain = 0;
  #lastNow = Number.NEGATIVE_INFINITY;
  /** When the database's clock was last found to be set to another time, by this process's own. */
  #jumpedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly silenceMs: number) {}

  /**
   * The database's time, as far as it is known here: the last time that the database reported, plus what this process
   * has counted since. How this machine's clock is set, or set again, makes no difference. When it turns out to be a
   * moment earlier than was thought, it stands still for that moment: nothing should seem to end before it began.
   */
  now(): number {
    if (this.#ahead === undefined) return Date.now();
    const now = Math.round(this.#ahead + performance.now());
    if (now < this.#lastNow && this.#lastNow - now < MOMENT_MS) return this.#lastNow;
    this.#lastNow = now;
    return now;
  }

  /** `began`: before the database was asked. What is known stays while it fits: the way there and back is not always as long. */
  learn(databaseMs: number, began: number): void {
    const [ended, uncertain] = [performance.now(), (performance.now() - began) / 2];
    const ahead = databaseMs - (began + ended) / 2;
    const difference = Math.abs((this.#ahead ?? ahead) - ahead) - uncertain;
    // On a busy machine both may be far off.
    if (difference - this.#uncertain > this.silenceMs / 4) this.#jumpedAt = ended;
    if (this.#ahead !== undefined && difference <= 1) return;
    this.#ahead = ahead;
    this.#uncertain = uncertain;
  }

  /** By a clock that was just set forward every process seems silent: none is given up until all could give a sign of life, as after an outage. */
  get isJustSet(): boolean {
    return performance.now() - this.#jumpedAt < this.silenceMs * 1.5;
  }
}
