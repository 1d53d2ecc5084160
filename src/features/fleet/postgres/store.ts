// The store on Postgres: the same runs, journals and shared state as in a home, for any number of machines.
import { join } from "node:path";
import { withClockSkew } from "../../../storage/faults.ts";
import type { Fleet } from "../../../storage/fleet.ts";
import { keptText } from "../../../storage/rows/columns.ts";
import { type FiguresFilter, type FiguresPart, onlyRun, partOfId, type RunFilter } from "../../../storage/run-index.ts";
import type { RunMeta } from "../../../storage/run-reader.ts";
import { run as write } from "../../../storage/state/sql.ts";
import type { NewestFilter, NewRun, OpenOptions, RunStore, RunsByFile, StoredRun } from "../../../storage/store.ts";
import { connect, type Database, doneIn } from "./database.ts";
import { readEnding } from "./ending.ts";
import { sealWith } from "./key-seal.ts";
import { MAIN, requireRunId, takeLease } from "./lease.ts";
import { type LogOptions, PostgresLog } from "./log.ts";
import { FleetMembers, nowAt } from "./members.ts";
import { migrated, tablesThere } from "./migrate.ts";
import { removeRunsOf } from "./prune.ts";
import { Claims } from "./queue/claims.ts";
import { FleetClient } from "./queue/client.ts";
import { Teller } from "./queue/notices.ts";
import { PROTOCOL, workflowId } from "./queue/queue.ts";
import { failShare, placeBranchAgain } from "./queue/share.ts";
import { type TakenDrive, type TakingGround, takeBranch, takeClaimed, takeDrive } from "./queue/taking.ts";
import { PostgresReader, type StoreAccess } from "./reader.ts";
import { keepingFacts } from "./run-facts.ts";
import { metaOfRun, stored } from "./run-index.ts";
import { type PostgresState, sharedState } from "./state.ts";
import type { ShareProblem, TakenBranch } from "./worker-host.ts";

export interface PostgresOptions {
  readonly home: string;
  readonly version?: string;
  readonly sealKey?: string;
  readonly now?: () => number;
  /** What stands in for the database's clock in tests. */
  readonly clock?: () => number;
  readonly host?: string;
  readonly beatMs?: number;
  readonly silenceMs?: number;
  /** Of a worker: its name, how many drives it takes, and that it keeps no files of runs for other programs. */
  readonly worker?: { readonly name: string; readonly concurrency: number; readonly protocol: string };
  /** Connections at most. */
  readonly most?: number;
  /** Ends the waiting for a database that is away. */
  readonly signal?: AbortSignal;
}

/** H and D: a sign of life every 2 s, dead after 10. */
export const BEAT_MS = 2000;
export const SILENCE_MS = 10_000;

const COMMAND_PATIENCE_MS = 15_000;
/** A worker has runs to lose. */
const WORKER_PATIENCE_MS = 10 * 60_000;

export class PostgresStore implements RunStore {
  readonly state: PostgresState;
  readonly fleet: FleetClient & Fleet;
  readonly access: StoreAccess;
  readonly sealedEnd?: RunStore["sealedEnd"];
  readonly claims = new Claims();
  readonly teller: Teller;
  /** `#`, and not `private`: a store that is printed must not show the key to seal with. */
  readonly #options: PostgresOptions;
  readonly #now: () => number;
  readonly #open = new Set<PostgresLog>();
  #isClosed = false;

  constructor(
    database: Database,
    readonly hashKey: string,
    options: PostgresOptions,
  ) {
    this.#options = options;
    const { home, worker, version = "", sealKey, host, clock, beatMs = BEAT_MS, silenceMs = SILENCE_MS } = options;
    const seal = sealWith(sealKey);
    const members = new FleetMembers(database, {
      version,
      isSealed: seal.isSealed,
      beatMs,
      silenceMs,
      host,
      clock,
      worker: worker?.name,
      concurrency: worker?.concurrency,
      protocol: worker?.protocol,
      keys: worker && seal.keyIds,
    });
    this.#now = options.now ?? (() => withClockSkew(members.now()));
    // A worker and a process that follows its runs, with the same home, must not write the same files.
    const folder = join(home, worker ? "worker" : "runs");
    this.access = { database, members, seal, folderOf: (runId) => join(folder, runId) };
    this.state = sharedState(this.access, this.#now, hashKey);
    if (seal.isSealed) this.sealedEnd = (runId) => readEnding(database, seal, runId);
    this.teller = new Teller(database);
    this.fleet = new FleetClient(this.access, this.state.gates, this.teller, version);
  }

  async createRun(run: NewRun): Promise<PostgresLog> {
    requireRunId(run.runId);
    const { database, members } = this.access;
    const now = this.#now();
    const { host, pid, start } = members.who;
    await members.self();
    await database.transaction(async (sql) => {
      await sql.run(
        `insert into segno.runs (run_id, workflow, file, durability, version, status, started, resumable, host, pid, start)
         values ($1, $2, $3, $4, $5, 'running', $6, true, $7, $8, $9) on conflict do nothing`,
        [
          run.runId,
          keptText(run.workflow),
          keptText(run.file),
          run.durability,
          this.#options.version ?? "",
          now,
          host,
          pid,
          start,
        ],
      );
      await sql.run(
        `insert into segno.leases (run_id, stream, epoch, holder, since) values ($1, '', 1, $2, ${nowAt(3)})
         on conflict do nothing`,
        [run.runId, members.name, members.clock],
      );
      await doneIn(sql, write(keepingFacts(this.access.seal, run.runId, run, "true")));
    });
    const { runId, workflow, file, durability } = run;
    const created = new Date(now).toISOString();
    const meta: RunMeta = { runId, workflow, file, durability, created, version: this.#options.version ?? "" };
    return this.#log(meta, { epoch: 1 }, 0);
  }

  async openRun(runId: string, { takeOver = false }: OpenOptions = {}): Promise<PostgresLog> {
    const meta = await metaOfRun(this.access, runId);
    const { database, members } = this.access;
    const lease = await takeLease(database, members, { runId, takeOver });
    return this.#log(meta, lease, await new PostgresReader(this.access, meta).lastSeq);
  }

  openDrive(runId: string, drive: number): Promise<TakenDrive | undefined> {
    const claimed = this.claims.take(workflowId(runId, drive));
    return claimed ? takeClaimed(this.#taking, claimed, drive) : takeDrive(this.#taking, runId, drive);
  }

  holds(runId: string, stream: string): boolean {
    if (stream === MAIN && this.claims.hasRun(runId)) return true;
    return [...this.#open].some((log) => log.runId === runId && log.streamName === stream);
  }

  get #protocol(): string {
    return this.#options.worker?.protocol ?? PROTOCOL;
  }

  openBranch(runId: string, stream: string, attempt: number): Promise<TakenBranch | undefined> {
    return takeBranch(this.#taking, runId, stream, attempt);
  }

  get #taking(): TakingGround {
    const { access } = this;
    const logOf: TakingGround["logOf"] = (...log) => this.#log(...log);
    return { access, teller: this.teller, protocol: this.#protocol, logOf };
  }

  nextBranch(runId: string, stream: string, attempt: number, delaySeconds: number): Promise<void> {
    const place = { runId, name: groupOf(stream), stream, attempt, delaySeconds, version: this.#protocol };
    return placeBranchAgain(this.access.database, this.teller, place);
  }

  failBranch(runId: string, stream: string, attempt: number, problem: ShareProblem): Promise<void> {
    return failShare(this.access, { runId, name: groupOf(stream), stream, attempt }, problem);
  }

  #log(
    meta: RunMeta,
    lease: { readonly epoch: number },
    lastSeq: number,
    given: Pick<LogOptions, "drive" | "stream" | "claim"> = {},
  ): PostgresLog {
    const log: PostgresLog = new PostgresLog(this.access, meta, {
      lease,
      lastSeq,
      keepsCopies: this.#options.worker === undefined,
      ...given,
      released: () => this.#open.delete(log),
      done: () => this.claims.done(workflowId(meta.runId, given.drive ?? 0)),
    });
    this.#open.add(log);
    return log;
  }

  async readRun(runId: string): Promise<PostgresReader> {
    return new PostgresReader(this.access, await metaOfRun(this.access, runId));
  }

  async findRun(idOrPart: string): Promise<string | undefined> {
    const part = partOfId(idOrPart);
    if (part === undefined) return undefined;
    return onlyRun(part, await this.state.runs.withPart(part), this.access.database.shown);
  }

  async runs(filter: RunFilter = {}): Promise<readonly StoredRun[]> {
    return this.state.runs.readable(await this.state.runs.rows(filter), stored);
  }

  figures(filter: FiguresFilter): Promise<FiguresPart> {
    return this.state.runs.figures(filter);
  }

  get byFile(): RunsByFile {
    return this.state.runs;
  }

  async newestRun({ resumable, ...filter }: NewestFilter = {}): Promise<StoredRun | undefined> {
    if (resumable === undefined) return (await this.runs({ ...filter, limit: 1 }))[0];
    const canResume = (run: StoredRun): boolean =>
      run.resumable && !run.waits && (run.status !== "running" || run.crashed);
    return (await this.runs(filter)).find((run) => canResume(run) === resumable);
  }

  async summary(runId: string): Promise<StoredRun | undefined> {
    const row = await this.state.runs.row(runId);
    return row && stored(row);
  }

  async summaries(runIds: readonly string[]): Promise<readonly StoredRun[]> {
    return this.state.runs.readable(await this.state.runs.rowsOf(runIds), stored);
  }

  now(): number {
    return this.#now();
  }

  get leftOut(): ReadonlySet<string> {
    return this.access.database.leftOut.said;
  }

  removeRuns(runIds: readonly string[], failed?: (runId: string, message: string) => void): Promise<readonly string[]> {
    return removeRunsOf(this.access.database, this.access.members, runIds, failed);
  }

  async runsWithSecrets(): Promise<readonly string[]> {
    const rows = await this.access.database.rows<{ run_id: string }>("select run_id from segno.secrets");
    return rows.map(({ run_id }) => run_id);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const log of [...this.#open]) await log.release();
    await this.access.members.leave();
    await this.access.database.close();
  }
}

/** The name of the spread that a share's stream is of. */
const groupOf = (stream: string): string => stream.slice(0, stream.lastIndexOf("/"));

/**
 * Opens the store of a fleet; its tables are made when they are not there.
 *
 * @example
 * const store = await openPostgresStore("postgres://segno@db/segno", { home: "/var/lib/segno" });
 */
export async function openPostgresStore(url: string, options: PostgresOptions): Promise<PostgresStore> {
  const database = await connected(url, options);
  try {
    const { hash_key, now_ms, sentAt } = await migrated(database);
    const store = new PostgresStore(database, hash_key, options);
    store.access.members.time.learn(now_ms, sentAt);
    return store;
  } catch (problem) {
    await database.close();
    throw problem;
  }
}

const connected = (
  url: string,
  { most = 4, worker, silenceMs = SILENCE_MS, signal }: Partial<PostgresOptions>,
): Promise<Database> =>
  connect(url, {
    most,
    patienceMs: worker ? WORKER_PATIENCE_MS : COMMAND_PATIENCE_MS,
    // What a process that stands still has locked is free before it is given up.
    idleMs: silenceMs / 2,
    signal,
  });

/** Whether a store can be opened there without making or changing tables. */
export async function tablesAt(url: string): ReturnType<typeof tablesThere> {
  const database = await connected(url, { most: 1 });
  try {
    return await tablesThere(database);
  } finally {
    await database.close();
  }
}
