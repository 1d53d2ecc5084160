// A fleet for tests: a database and a folder of its own, workers, and machines to ask it from.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Ended, Underway } from "../../../../test/support/command-line.ts";
import { KEPT_CODE } from "../../../../test/support/program.ts";
import { until } from "../../../../test/support/until.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import type { Result } from "../../../base/results/result.ts";
import { runEvents } from "../../../services/runs/runs.ts";
import { cluster, freshDatabase } from "./cluster.ts";
import { type Env, Machine } from "./machine.ts";
import { startWorkerHere, startWorkerProcess, type Worker, type WorkerHere, type WorkerProcess } from "./workers.ts";

export const SEAL_KEY = "k".repeat(64);

/**
 * For workers of which one is killed, or stands still: it is missed somewhat sooner. Not too soon: on a busy
 * machine the others may be silent for seconds.
 */
export const QUICK = { SEGNO_BEAT_SECONDS: "1", SEGNO_DEAD_SECONDS: "8" };

/** Whoever connects from now on finds this clock before that of Postgres. */
const CLOCK = `
create schema clock;
create table clock.ahead (seconds float8 not null);
insert into clock.ahead values (0);
create function clock.clock_timestamp() returns timestamptz language sql volatile as
  'select pg_catalog.clock_timestamp() + make_interval(secs => (select seconds from clock.ahead))';
alter database DATABASE set search_path = "$user", public, clock, pg_catalog;
`;

export class TestFleet {
  readonly url: string;
  readonly folder: string;
  /** With the workflow files, in the folder where the workers are. */
  readonly here: Machine;
  /** The same, where every command has a process of its own. */
  readonly program: Machine;

  private constructor(url: string, folder: string) {
    this.url = url;
    this.folder = folder;
    this.here = new Machine(folder, (env) => this.#env("home", env));
    this.program = new Machine(folder, (env) => this.#env("home", env), { spawns: true });
  }

  /** `url`: of a database of the test's own, when it is not to be a fresh one. */
  static async start(url?: string): Promise<TestFleet> {
    const folder = mkdtempSync(join(tmpdir(), "segno-fleet-"));
    const database = url ?? (await freshDatabase());
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return new TestFleet(database, folder);
  }

  /** One whose database has a clock that the test can move, with `later`. */
  static async withClock(): Promise<TestFleet> {
    const fleet = await TestFleet.start();
    await fleet.sql(CLOCK.replaceAll("DATABASE", new URL(fleet.url).pathname.slice(1)));
    return fleet;
  }

  /**
   * Lets so much time pass, or more, for whoever goes by the clock of the database: all of a fleet's waits and deadlines do.
   * Workers hear of it with their next sign of life. What was woken before that is put off once more, so it passes twice.
   */
  async later(seconds: number): Promise<void> {
    const move = `update clock.ahead set seconds = seconds + ${seconds}`;
    await this.sql(move);
    const [moved] = await this.sql("select extract(epoch from clock.clock_timestamp()) * 1000 as now");
    const unaware = `select 1 from segno.workers where not dead and heard < ${Number(moved?.now)}`;
    await until(async () => (await this.sql(unaware)).length === 0);
    await this.sql(move);
  }

  write(name: string, text: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }

  lines(name: string): readonly string[] {
    try {
      return readFileSync(join(this.folder, name), "utf8").split("\n").slice(0, -1);
    } catch {
      return [];
    }
  }

  #env(home: string, more: Env): NodeJS.ProcessEnv {
    const { PATH, HOME } = process.env;
    return {
      PATH,
      HOME,
      NO_COLOR: "1",
      CI: "1",
      SEGNO_HOME: join(this.folder, home),
      SEGNO_ON: this.url,
      ...KEPT_CODE,
      SEGNO_SEAL_KEY: SEAL_KEY,
      ...more,
    };
  }

  /** In this process: one at a time, which nobody kills. Gives it when it has said that it is there. */
  async worker(env: Env = {}, options: WorkerHere = {}): Promise<Worker> {
    const worker = await startWorkerHere({ cwd: this.folder, env: this.#env("worker", env) }, options);
    onTestFinished(() => worker.leave());
    return worker;
  }

  /** In a process of its own. */
  async workerProcess(env: Env = {}, ...args: string[]): Promise<WorkerProcess> {
    const worker = await startWorkerProcess({ cwd: this.folder, env: this.#env("worker", env) }, args);
    onTestFinished(() => worker.kill());
    return worker;
  }

  segno(args: readonly string[], env: Env = {}): Promise<Ended> {
    return this.here.segno(args, env);
  }

  follow(args: readonly string[], env: Env = {}): Underway {
    return this.here.follow(args, env);
  }

  json<Answer = Result>(args: readonly string[], env: Env = {}): Promise<Answer> {
    return this.here.json<Answer>(args, env);
  }

  /** Another machine: a folder and a home of its own, nothing of the workers' settings, and no SEGNO_ON: it says `--on`. */
  elsewhere(options = {}): Machine {
    const folder = mkdtempSync(join(tmpdir(), "segno-elsewhere-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { PATH } = process.env;
    return new Machine(
      folder,
      (env) => ({
        PATH,
        HOME: folder,
        NO_COLOR: "1",
        CI: "1",
        SEGNO_HOME: join(folder, "home"),
        SEGNO_SEAL_KEY: SEAL_KEY,
        ...KEPT_CODE,
        ...env,
      }),
      options,
    );
  }

  /** Places a run and gives its id. */
  async place(file: string, ...args: string[]): Promise<string> {
    const { run_id } = await this.json(["run", file, "--detach", ...args]);
    if (run_id === null) throw new Error("the run was not placed");
    return run_id;
  }

  async events(runId: string): Promise<readonly RunEvent[]> {
    const events: RunEvent[] = [];
    for await (const event of runEvents({ cwd: this.folder, env: this.#env("home", {}) }, { run: runId }))
      events.push(event);
    return events;
  }

  async sql(text: string): Promise<readonly Record<string, unknown>[]> {
    return (await cluster()).sql(text, this.url);
  }

  /** Whatever waits for its time in the queue has waited long enough. */
  async hurry(): Promise<void> {
    await this.sql("update dbos.workflow_status set delay_until_epoch_ms = 0 where status = 'DELAYED'");
  }

  async statusOf(runId: string): Promise<string> {
    const rows = await this.sql(`select status, drive_ended from segno.runs where run_id = '${runId}'`);
    return rows[0]?.drive_ended === true ? String(rows[0]?.status) : "underway";
  }

  /** Waits until all have ended, and gives their statuses. */
  async allEnded(runIds: readonly string[]): Promise<readonly string[]> {
    await until(async () => {
      const rows = await this.sql("select count(*) as n from segno.runs where not drive_ended");
      return Number(rows[0]?.n) === 0;
    });
    return Promise.all(runIds.map((runId) => this.statusOf(runId)));
  }
}

/** What a run's journal must not hold, whatever happened to its workers. */
export function faultsOf(events: readonly RunEvent[]): readonly string[] {
  const faults: string[] = [];
  const done = new Set<string>();
  events.forEach((event, at) => {
    if (event.seq !== at + 1) faults.push(`event ${event.seq} stands where ${at + 1} should`);
    const key =
      "key" in event.data && typeof event.data.key === "string" ? `${event.path.join("/")} ${event.data.key}` : "";
    if (event.type === "script_spawned" && done.has(key)) faults.push(`${key} ran again after it was done`);
    if (event.type === "agent_completed" && key !== "") done.add(key);
  });
  return faults;
}
