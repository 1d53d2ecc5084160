// A fleet that is put under load: a database of its own, workers in processes of their own, and what can be asked about both.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { defineStep, succeeded } from "../../src/index.ts";
import { extensionsFrom } from "../../src/services/session/extensions.ts";
import { newDatabase, placing } from "./fleet.ts";
import { familyOf, parentOf, processorSince } from "./processor.ts";

export const own = defineStep({
  type: "own",
  description: "does something that is recorded before the next step",
  schema: { type: "object", properties: {} } as const,
  execute: () => succeeded({ done: true }),
});

/** The same step, for workers in processes of their own. */
const PLUGIN = `import { defineStep, succeeded } from ${JSON.stringify(resolve("dist/index.js"))};
export const own = defineStep({ type: "own", description: "is recorded", schema: { type: "object", properties: {} }, execute: () => succeeded({ done: true }) });
`;

export const flowOf = (steps: number): string => `workflow: { name: own${steps}, entry_point: s1 }
steps:
${Array.from({ length: steps }, (_, at) => `  - { name: s${at + 1}, type: own${at + 1 < steps ? `, routes: [{ to: s${at + 2} }]` : ""} }`).join("\n")}
`;

/** Milliseconds from the placing of a run. */
export interface Stretches {
  readonly taken: number;
  readonly begun: number;
  readonly ended: number;
}

export interface Parts {
  readonly take: number;
  readonly begin: number;
  readonly end: number;
}

export type LoadedFleet = Awaited<ReturnType<typeof startFleet>>;

/** Its workers stand still until they are woken. */
export async function startFleet(inFolder: string, workers: number) {
  const folder = mkdtempSync(join(inFolder, "load-"));
  writeFileSync(join(folder, "own.mjs"), PLUGIN);
  writeFileSync(join(folder, "segno.yaml"), "plugins: [own.mjs]\n");
  const env = {
    PATH: process.env.PATH,
    SEGNO_HOME: join(folder, "home"),
    HOME: folder,
    // None is given up for standing still.
    SEGNO_DEAD_SECONDS: "36000",
  };
  const program = resolve("dist/main.cjs");
  spawnSync(process.execPath, [program, "trust", "--yes"], { cwd: folder, env });
  const url = await newDatabase();
  const { store, place, close } = await placing(url, folder, await extensionsFrom({ steps: [own] }));
  const { database } = store.access;
  const elsewhere = new Client({ connectionString: url });
  await elsewhere.connect();
  await elsewhere.query("create extension if not exists pg_stat_statements");
  const number = async (sql: string): Promise<number> => Number((await elsewhere.query(sql)).rows[0].n ?? 0);
  const postmaster = parentOf(await number("select pg_backend_pid() as n"));
  const processes: ChildProcess[] = [];
  for (let n = 0; n < workers; n++) processes.push(await started());
  const signal = (count: number, name: NodeJS.Signals): void => {
    for (const worker of processes.slice(0, count)) worker.kill(name);
  };
  signal(workers, "SIGSTOP");

  async function started(): Promise<ChildProcess> {
    const args = [program, "worker", "--on", url];
    const worker = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    await new Promise<void>((ready, reject) => {
      worker.once("exit", () => reject(new Error(`the worker ended: ${said}`)));
      worker.stderr?.on("data", (bytes) => {
        said += bytes;
        if (said.includes("runs at a time")) ready();
      });
    });
    return worker;
  }

  const leftNow = (): Promise<number> => number("select count(*)::int as n from segno.runs where not drive_ended");
  return {
    async place(steps: number): Promise<string> {
      const file = join(folder, `flow-${steps}.yaml`);
      if (!existsSync(file)) writeFileSync(file, flowOf(steps));
      return place(file);
    },
    /** Lets the first so many go on. */
    async wake(count: number): Promise<void> {
      signal(count, "SIGCONT");
    },
    /** All stand still again, once they have nothing to do. */
    async rest(): Promise<void> {
      await pause(300);
      signal(workers, "SIGSTOP");
    },
    /** Process ids of the first so many, and of the server. */
    workersOf: (count: number): readonly number[] => processes.slice(0, count).map(({ pid = 0 }) => pid),
    server: (): readonly number[] => familyOf(postmaster),
    leftNow,
    async left(most: number): Promise<void> {
      while ((await leftNow()) > most) await pause(20);
    },
    async waits(ids: readonly string[]): Promise<readonly Stretches[]> {
      const ms = (moment: string): string => `(extract(epoch from ${moment}) * 1000)::float8`;
      return database.rows<Stretches>(
        `select l.since - ${ms("r.placed_at")} as taken, ${ms("min(e.at) - r.placed_at")} as begun, ${ms("max(e.at) - r.placed_at")} as ended
         from segno.runs r join segno.leases l on l.run_id = r.run_id and l.stream = '' join segno.events e on e.run_id = r.run_id
         where r.run_id = any($1::text[]) group by r.run_id, r.placed_at, l.since`,
        [ids],
      );
    },
    async placedAt(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const rows = await database.rows<{ run_id: string; at: number }>(
        "select run_id, (extract(epoch from placed_at) * 1000)::float8 as at from segno.runs where run_id = any($1::text[])",
        [ids],
      );
      return new Map(rows.map(({ run_id, at }) => [run_id, at]));
    },
    /** How often workers have asked the queue for runs. */
    looks: () => number(`select sum(calls)::int as n ${STATEMENTS} and ${TAKES}`),
    /** Milliseconds that the server took for each kind of statement of a run, waits included: for their shares. */
    async parts(): Promise<Parts> {
      const ms = (which: string): string => `coalesce(sum(total_exec_time) filter (where ${which}), 0)::float8`;
      const { rows } = await elsewhere.query(
        `select ${ms(TAKES)} as take, ${ms("query like '%), up as (%'")} as begin, ${ms("query like '%given_back as (%'")} as end ${STATEMENTS}`,
      );
      return rows[0] as Parts;
    },
    notice: () => elsewhere.query("select pg_notify('segno', 'drive')"),
    bytes: () => number("select pg_database_size(current_database()) as n"),
    /** Milliseconds of a fixed piece of work, here and in the server: how quick the machine is right now. */
    async yardstick(): Promise<number> {
      const began = performance.now();
      for (let n = 0; n < 150; n++) {
        for (let m = 0; m < 20; m++) JSON.parse(JSON.stringify({ n, m, text: "x".repeat(500), list: [1, 2, 3, 4, 5] }));
        await elsewhere.query({ name: "yard", text: "select count(*) from generate_series(1, 300)" });
      }
      return performance.now() - began;
    },
    async close(): Promise<void> {
      for (const worker of processes) {
        worker.removeAllListeners("exit");
        worker.kill("SIGKILL");
      }
      await elsewhere.end();
      await close();
    },
  };
}

const STATEMENTS =
  "from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = current_database()";
const TAKES = "query like '%taken as (%' and query like '%claimed as (%'";

export interface RoundTrips {
  /** Milliseconds of a statement that does nothing, and of a commit of one row, one after the other on one connection. */
  readonly trip: number;
  readonly commit: number;
  /** From a NOTIFY to whoever listens, and what the server uses of the processor for it. */
  readonly notice: number;
  readonly noticeServerMs: number;
}

export async function roundTrips(): Promise<RoundTrips> {
  const url = await newDatabase();
  const [one, other] = [new Client({ connectionString: url }), new Client({ connectionString: url })];
  await one.connect();
  await other.connect();
  await one.query("create table t (n int, x text)");
  const timed = async (times: number, work: (n: number) => Promise<unknown>): Promise<number> => {
    for (let n = 0; n < 100; n++) await work(n);
    const took: number[] = [];
    for (let n = 0; n < times; n++) {
      const began = performance.now();
      await work(n);
      took.push(performance.now() - began);
    }
    return took.sort((a, b) => a - b)[times >> 1] ?? 0;
  };
  const trip = await timed(1000, () => one.query({ name: "one", text: "select 1" }));
  const row = { name: "row", text: "insert into t values ($1, repeat('x', 400))" };
  const commit = await timed(1000, (n) => one.query({ ...row, values: [n] }));
  await other.query("listen bench");
  const pids = (await one.query("select pid from pg_stat_activity where datname = current_database()")).rows;
  const used = processorSince(() => pids.map(({ pid }) => pid));
  const notice = await timed(500, () => {
    const heard = new Promise((resolve) => other.once("notification", resolve));
    return Promise.all([heard, one.query({ name: "notice", text: "select pg_notify('bench', 'x')" })]);
  });
  const noticeServerMs = used() / 600;
  await one.end();
  await other.end();
  return { trip, commit, notice, noticeServerMs };
}
