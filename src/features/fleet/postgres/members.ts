// Who uses the database: workers, and commands for as long as they hold something. Each sends heartbeats by the
// database's clock, so that no two clocks are compared. One that is silent for too long is marked as dead, and stays
// so.
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { type Moment, msSince, thisMoment } from "../../../storage/clock.ts";
import type { LeaseHolder, Liveness, ProcessIdentity, ProcessName } from "../../../storage/liveness.ts";
import { DATABASE_NOW, DatabaseClock } from "./connection.ts";
import type { Database } from "./database.ts";

export interface MemberOptions {
  readonly host?: string;
  readonly version: string;
  /** How often to give a sign of life, and after how long without one a process counts as dead: milliseconds. */
  readonly beatMs: number;
  readonly silenceMs: number;
  /** What stands in for the database's clock in tests. */
  readonly clock?: () => number;
  /** A worker's own name; a command has none. */
  readonly worker?: string;
  readonly concurrency?: number;
  readonly protocol?: string;
  readonly keys?: readonly string[];
  readonly isSealed?: boolean;
}

export interface ServerAge {
  readonly started: string;
  readonly ageMs: number;
}

export interface MemberLabels extends ProcessIdentity {
  readonly kind: "worker" | "command";
  readonly concurrency?: number;
  readonly protocol?: string;
  readonly keys?: readonly string[];
  readonly sealed?: boolean;
  /** Since when it is there: epoch milliseconds, by the database's clock. */
  readonly since?: number;
}

/** Nothing when they are not what Segno writes: the row is not from a Segno process. */
export function labelsOf(text: string | null): MemberLabels | undefined {
  try {
    const labels = JSON.parse(text ?? "null") as MemberLabels | null;
    return typeof labels?.host === "string" ? labels : undefined;
  } catch {
    return undefined;
  }
}

/** Of a row `w` of `segno.workers`. Looked for as text: labels that are no JSON would end the query. Within a value its quotes would be escaped. */
export const understands = (version: string): string =>
  `position('"protocol":' || to_json(${version}::text)::text in w.labels) > 0`;

const REAL_NOW = "(extract(epoch from clock_timestamp()) * 1000)::float8";

/** The database's clock in milliseconds, or what stands in for it, as the parameter of that number. */
export const nowAt = (parameter: number): string => `coalesce($${parameter}::bigint, ${DATABASE_NOW})`;

/** Heard within the time that the process itself set, else within that of the other parameter: commands do not know the settings of workers. */
export const isHeard = (now: number, silence: number): string =>
  `heard >= ${nowAt(now)} - coalesce(dead_after_ms, $${silence}::bigint)`;

/** Labels, with when they were written. Added as text: a cast to JSON would write the others anew, and they are looked for as text. */
const withSince = (labels: number, now: string): string => `left($${labels}::text, -1) || ',"since":' || ${now} || '}'`;

interface Beaten {
  readonly dead: boolean;
  readonly started: string;
  readonly age_ms: string;
  readonly now_ms: number | null;
}

const GONE: Beaten = { dead: true, started: "", age_ms: "0", now_ms: null };

export class FleetMembers implements Liveness {
  readonly name: ProcessName;
  readonly who: ProcessIdentity;
  readonly silenceMs: number;
  readonly beatMs: number;
  readonly time: DatabaseClock;
  #registered: Promise<ProcessName> | undefined;
  #heart: NodeJS.Timeout | undefined;
  /** Before the last sign of life that the database took, by this process's clock. */
  #heardAt: Moment = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

  constructor(
    private readonly database: Database,
    private readonly options: MemberOptions,
  ) {
    this.silenceMs = options.silenceMs;
    this.beatMs = options.beatMs;
    this.time = new DatabaseClock(options.silenceMs);
    const incarnation = randomBytes(5).toString("hex");
    this.who = { host: options.host ?? hostname(), pid: process.pid, start: incarnation };
    this.name = `${options.worker ?? `${this.who.host}-${process.pid}`}:${incarnation}`;
  }

  now(): number {
    return this.time.now();
  }

  /** For parameters of `nowAt`. */
  get clock(): number | null {
    return this.options.clock?.() ?? null;
  }

  /** Entered on first use; from then on it beats. */
  self(): Promise<ProcessName> {
    this.#registered ??= this.#register();
    return this.#registered;
  }

  async #register(): Promise<ProcessName> {
    const { worker, version, concurrency, protocol, keys, isSealed } = this.options;
    const kind = worker === undefined ? "command" : "worker";
    const labels: MemberLabels = { ...this.who, kind, sealed: isSealed || undefined, concurrency, protocol, keys };
    const began = thisMoment();
    await this.database.run(
      `insert into segno.workers (worker, heard, version, labels, dead_after_ms) values ($1, ${nowAt(4)}, $2, ${withSince(3, nowAt(4))}, $5)
       on conflict (worker) do nothing`,
      [this.name, version, JSON.stringify(labels), this.clock, this.silenceMs],
    );
    this.#heardAt = began;
    // A worker beats by itself, and looks at what comes back.
    if (worker === undefined) this.#heart = setInterval(() => void this.beat().catch(() => {}), this.beatMs).unref();
    return this.name;
  }

  /** Time since this process's last recorded heartbeat, at most. Within `silenceMs` no process can have given it up. */
  get unheardMs(): number {
    return msSince(this.#heardAt);
  }

  /** A sign of life. `dead`: others gave this process up. */
  async beat(): Promise<{ readonly dead: boolean; readonly server: ServerAge }> {
    const began = thisMoment();
    const [row = GONE] = await this.database.rows<Beaten>(
      `update segno.workers set heard = case when dead then heard else greatest(heard + 1, ${nowAt(2)}) end
       where worker = $1 returning dead, pg_postmaster_start_time()::text as started,
         (extract(epoch from clock_timestamp() - pg_postmaster_start_time()) * 1000)::bigint as age_ms,
         ${REAL_NOW} as now_ms`,
      [this.name, this.clock],
    );
    const { dead, started, age_ms, now_ms } = row;
    if (now_ms !== null) this.time.learn(now_ms, began.monotonic);
    if (!dead) this.#heardAt = began;
    return { dead, server: { started, ageMs: Number(age_ms) } };
  }

  async isAlive(owner: ProcessName): Promise<boolean> {
    const lives = `select segno.lives($1, ${nowAt(2)}, $3) as lives`;
    const [row] = await this.database.rows<{ lives: boolean }>(lives, [owner, this.clock, this.silenceMs]);
    return row?.lives ?? false;
  }

  async holderIsAlive({ host, pid, start }: LeaseHolder): Promise<boolean> {
    const rows = await this.database.rows<{ labels: string }>(
      `select labels from segno.workers where not dead and ${isHeard(1, 2)}`,
      [this.clock, this.silenceMs],
    );
    return rows.some(({ labels }) => {
      const who = labelsOf(labels);
      return who?.host === host && who.pid === pid && who.start === start;
    });
  }

  /** Takes the process off the list, in good order: what it held is free. */
  async leave(): Promise<void> {
    clearInterval(this.#heart);
    this.#heart = undefined;
    if (!this.#registered) return;
    await this.#registered;
    await this.database.transaction(async (sql) => {
      await sql.run("update segno.leases set epoch = epoch + 1, holder = null where holder = $1", [this.name]);
      await sql.run("delete from segno.workers where worker = $1", [this.name]);
    });
  }

  /**
   * Marks as dead who is unheard for too long, and raises the epoch of all that they held: from then on nothing of theirs is
   * written. Who has been dead for long is removed. Nothing while another process sweeps; one statement when nothing is to do.
   * Not tried again when the connection is lost: it would find everybody silent. `mayGiveUp` is asked when it is there.
   */
  async sweep(mayGiveUp: () => boolean = () => true): Promise<readonly ProcessName[]> {
    if (!(await this.#isSweepDue())) return [];
    return this.database.transactionNow(async (sql) => {
      const began = performance.now();
      const [lock] = await sql.rows<{ ours: boolean; now_ms: number }>(
        `select pg_try_advisory_xact_lock($1) as ours, ${REAL_NOW} as now_ms`,
        [SWEEP_LOCK],
      );
      if (!lock?.ours) return [];
      this.time.learn(lock.now_ms, began);
      if (!mayGiveUp() || this.time.isJustSet) return [];
      // Who was heard in a time to come, since the clock was set back, is heard now: else it would live until then.
      const changed = await sql.rows<{ worker: string; dead: boolean }>(
        `update segno.workers set dead = not (${isHeard(1, 2)}), heard = least(heard, ${nowAt(1)})
         where not dead and ${IS_ODD} returning worker, dead`,
        [this.clock, this.silenceMs],
      );
      const dead = changed.filter((one) => one.dead).map(({ worker }) => worker);
      if (dead.length > 0)
        await sql.run("update segno.leases set epoch = epoch + 1 where holder = any($1::text[])", [dead]);
      await sql.run(
        `with gone as (delete from segno.workers where ${IS_LONG_DEAD} returning worker)
         update segno.leases set holder = null where holder in (select worker from gone)`,
        [this.clock],
      );
      return dead;
    });
  }

  /** Asked once, and not again when the connection is lost: as for a sweep itself. */
  async #isSweepDue(): Promise<boolean> {
    const began = performance.now();
    const asked = this.database.once(
      `select exists (select 1 from segno.workers where ${IS_LONG_DEAD} or not dead and ${IS_ODD}) as due, ${REAL_NOW} as now_ms`,
      [this.clock, this.silenceMs],
    );
    const { rows } = await asked.catch((problem: unknown) => {
      throw this.database.asStoreError(problem);
    });
    const { due, now_ms } = rows[0] as { readonly due: boolean; readonly now_ms: number };
    this.time.learn(now_ms, began);
    return due;
  }
}

/** So long the others see that a worker was given up. It is no different without: who wakes up and finds no row is dead. */
const FORGET_MS = 3_600_000;

export const IS_LONG_DEAD = `dead and heard < ${nowAt(1)} - ${FORGET_MS}`;

/** Unheard for too long, or heard in a time to come, since the clock was set back. */
export const IS_ODD = `(not (${isHeard(1, 2)}) or heard > ${nowAt(1)} + $2::bigint)`;

const SWEEP_LOCK = 5_239_017_405;
