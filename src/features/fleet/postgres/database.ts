// Sends statements to one Postgres. Each must be safe to send twice: when the connection is lost, it waits for the
// database and sends the statement again.
import { createHash } from "node:crypto";
import type { Pool, PoolClient, QueryResult } from "pg";
import type { SqlParameter, SqlStep, SqlWork } from "../../../storage/state/sql.ts";
import { isUnreadable, StoreError, type StoreFault } from "../../../storage/store-error.ts";
import {
  isConnectionLoss,
  type Patience,
  type PoolOptions,
  patiently,
  requireAddress,
  type SharedPool,
  sharedPool,
  shownAddress,
} from "./connection.ts";
import { loadPg } from "./dbos.ts";

/** Either the pool or one client within a transaction. */
export interface Queries {
  rows<Row>(text: string, values?: readonly SqlParameter[]): Promise<readonly Row[]>;
  /** How many rows it touched. */
  run(text: string, values?: readonly SqlParameter[]): Promise<number>;
}

/** What it locks is locked until its end. */
export interface Transaction extends Queries {
  readonly isTransaction: true;
}

export async function asked(queries: Queries, { statement, gives }: SqlStep): Promise<unknown> {
  const text = statement.text((number) => `$${number}`);
  if (gives === "count") return queries.run(text, statement.values);
  const rows = await queries.rows(text, statement.values);
  return gives === "first" ? rows[0] : rows;
}

/** Within a transaction that does more. */
export async function doneIn<Result>(queries: Queries, work: SqlWork<Result>): Promise<Result> {
  let next = work.next();
  while (!next.done) next = work.next(await asked(queries, next.value));
  return next.value;
}

export interface DatabaseOptions extends PoolOptions {
  readonly patienceMs: number;
  /** Ends the waiting for a database that is away. */
  readonly signal?: AbortSignal;
}

/** Rows that were changed in the database, or that another program wrote: one must not make a whole list fail, nor be skipped silently. */
class LeftOut {
  /** What was left out, in sentences, each once. */
  readonly said = new Set<string>();

  /**
   * What can be read of the rows. A row that is sealed with another key is left out like any that is no good, but when there
   * are no others that is thrown, as `ifSealed` says: it is no fault of theirs. `todo`: what to do about one that is no good.
   */
  readable<Row, Item>(
    rows: readonly Row[],
    what: (row: Row) => string,
    read: (row: Row) => Item,
    { ifSealed = "throw", todo }: { readonly ifSealed?: "throw" | "leave out"; readonly todo?: string } = {},
  ): readonly Item[] {
    let sealed: unknown;
    const said: string[] = [];
    const items = rows.flatMap((row) => {
      try {
        return [read(row)];
      } catch (problem) {
        if (isUnreadable(problem)) sealed ??= problem;
        said.push(
          `Left out: ${what(row)}. ${problem instanceof Error ? problem.message : String(problem)}${isUnreadable(problem) || todo === undefined ? "" : ` ${todo}`}`,
        );
        return [];
      }
    });
    if (sealed !== undefined && items.length === 0 && ifSealed === "throw") throw sealed;
    for (const text of said) this.said.add(text);
    return items;
  }
}

export class Database implements Queries {
  readonly shown: string;
  readonly pool: Pool;
  readonly leftOut = new LeftOut();
  #areNamed = true;
  #held: PoolClient | undefined;

  constructor(
    readonly url: string,
    private readonly shared: SharedPool,
    private readonly patience: Patience,
  ) {
    this.shown = shownAddress(url);
    this.pool = shared.pool;
  }

  /** Asked by name, so that the server plans it once for each connection; `text` names itself. */
  async rows<Row>(text: string, values: readonly SqlParameter[] = []): Promise<readonly Row[]> {
    return (await this.#query(text, values)).rows as Row[];
  }

  /** The same, and when it was sent, by `performance.now()`, on a connection that was there: so exact is what the answer says of the time. */
  async timedRows<Row>(text: string): Promise<{ readonly rows: readonly Row[]; readonly sentAt: number }> {
    let sentAt = Number.NaN;
    const sent = (): void => {
      sentAt = performance.now();
    };
    const { rows } = await this.#said(() => patiently(() => this.once(text, [], sent), this.patience));
    return { rows: rows as Row[], sentAt };
  }

  async run(text: string, values: readonly SqlParameter[] = []): Promise<number> {
    return (await this.#query(text, values)).rowCount ?? 0;
  }

  #query(text: string, values: readonly SqlParameter[]): Promise<QueryResult> {
    return this.#said(() =>
      patiently(
        () => this.#named((name) => this.pool.query({ ...name, text, values: [...values] }), text),
        this.patience,
      ),
    );
  }

  /** A pooler may hand out connections on which a name is unknown, or another's. Nothing was done then: from then on all is asked without names. */
  async #named<Result>(ask: (name: { readonly name?: string }) => Promise<Result>, text: string): Promise<Result> {
    if (!this.#areNamed) return ask({});
    try {
      return await ask({ name: nameOf(text) });
    } catch (problem) {
      if (!NAME_PROBLEMS.has((problem as { code?: string }).code ?? "")) throw problem;
      this.#areNamed = false;
      return ask({});
    }
  }

  /** Once: its loss is the caller's to understand. Its connection is held for this turn of the event loop, for a step that writes at once. */
  async once(text: string, values: readonly SqlParameter[], sent?: () => void): Promise<QueryResult> {
    const client = await this.#taken();
    let problem: unknown;
    try {
      return await this.#named((name) => {
        sent?.();
        return client.query({ ...name, text, values: [...values] });
      }, text);
    } catch (error) {
      problem = error;
      throw error;
    } finally {
      this.#hold(client, isConnectionLoss(problem));
    }
  }

  #taken(): PoolClient | Promise<PoolClient> {
    const held = this.#held;
    this.#held = undefined;
    return held ?? this.pool.connect();
  }

  #hold(client: PoolClient, isLost: boolean): void {
    if (isLost || this.#held || this.pool.waitingCount > 0) client.release(isLost);
    else {
      this.#held = client;
      setImmediate(() => {
        this.#held?.release();
        this.#held = undefined;
      });
    }
  }

  /** Does the work in one transaction; when the connection is lost on the way, once more from the start. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#said(() => patiently(() => this.#transaction(work), this.patience));
  }

  /** The same, not tried again: for what was right to do only just now. */
  transactionNow<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#said(() => this.#transaction(work));
  }

  async #transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    let problem: unknown;
    try {
      await client.query("begin");
      const result = await work({
        isTransaction: true,
        rows: async <Row>(text: string, values: readonly SqlParameter[] = []) =>
          (await client.query({ text, values: [...values] })).rows as Row[],
        run: async (text, values = []) => (await client.query({ text, values: [...values] })).rowCount ?? 0,
      });
      await client.query("commit");
      return result;
    } catch (error) {
      problem = error;
      await client.query("rollback").catch(() => {});
      throw error;
    } finally {
      client.release(isConnectionLoss(problem));
    }
  }

  async #said<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (problem) {
      throw this.asStoreError(problem);
    }
  }

  /** What the server or the network say, said to people; anything else stays what it is. */
  asStoreError(problem: unknown): unknown {
    const { code, severity, syscall } = problem as { code?: unknown; severity?: unknown; syscall?: unknown };
    const message = problem instanceof Error ? problem.message : String(problem);
    const error = (fault: StoreFault, said: string) =>
      new StoreError(fault, `${this.shown}${said}`, this.shown, problem);
    if (isConnectionLoss(problem))
      return error("io", ` still cannot be reached after waiting: ${message || code}. Try again when it is back.`);
    if (syscall !== undefined || NO_TALK.test(message))
      return error("io", ` cannot be reached: ${message}. Look at the address (--on or SEGNO_ON).`);
    if (typeof code !== "string" || severity === undefined) return problem;
    if (code === "53100") return error("full", `: its disk is full (${message}).`);
    if (code === "42501" || code === "25006") return error("readonly", `: this user may not do that (${message}).`);
    return error("io", `: ${message} (${code})`);
  }

  close(): Promise<void> {
    return this.shared.leave();
  }
}

/** What the driver says, without a code, when it and the server do not come to terms. */
const NO_TALK = /^SASL: |^The server does not support SSL|^There was an error establishing an SSL/;

/** There is one of this name, and there is none. */
const NAME_PROBLEMS: ReadonlySet<string> = new Set(["42P05", "26000"]);

const names = new Map<string, string>();

/** Made of the text: where processes share connections, one name is never that of two statements. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `segno_${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  names.set(text, name);
  return name;
}

export async function connect(url: string, options: DatabaseOptions): Promise<Database> {
  requireAddress(url);
  const shared = sharedPool(await loadPg(), url, options);
  return new Database(url, shared, { forMs: options.patienceMs, signal: options.signal });
}
