// A fleet under load: how many runs a second it ends, what worker and server use of the processor for one, and how long a run
// waits for its first step. For the rows of the bench, and for the figures that `npm run simulate` reckons with.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { defineStep, succeeded } from "../../src/index.ts";
import { extensionsFrom } from "../../src/services/session/extensions.ts";
import { newDatabase, placing } from "./fleet.ts";

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

export interface Load {
  readonly workers: number;
  readonly steps: number;
  readonly perSecond: number;
  /** Milliseconds of the processor for each run. */
  readonly workerMs: number;
  readonly serverMs: number;
  /** Bytes of the database for each run. */
  readonly bytes: number;
}

/** Runs that are placed first, and then ended by so many workers. */
export async function drained(inFolder: string, workers: number, steps: number, runs: number): Promise<Load> {
  const fleet = await startFleet(inFolder, steps);
  const sizeBefore = await fleet.bytes();
  for (let n = 0; n < runs; n += 20)
    await Promise.all(Array.from({ length: Math.min(20, runs - n) }, () => fleet.place()));
  const processes = await Promise.all(Array.from({ length: workers }, () => fleet.worker()));
  // Until all are warm: what the first runs take is not what the others do.
  const left = async (most: number): Promise<void> => {
    while ((await fleet.left()) > most) await pause(50);
  };
  await left(Math.floor(runs * 0.75));
  const [began, leftThen] = [performance.now(), await fleet.left()];
  const before = { server: fleet.serverMs(), workers: sum(processes.map(cpuMsOf)) };
  await left(Math.floor(runs * 0.1));
  const seconds = (performance.now() - began) / 1000;
  const ended = leftThen - (await fleet.left());
  const load = {
    ...{ workers, steps, perSecond: ended / seconds },
    workerMs: (sum(processes.map(cpuMsOf)) - before.workers) / ended,
    serverMs: (fleet.serverMs() - before.server) / ended,
  };
  await left(0);
  const bytes = ((await fleet.bytes()) - sizeBefore) / runs;
  await fleet.close();
  return { ...load, bytes };
}

export interface Latency {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of the processor for each run: of the server, and of the process that places it. */
  readonly serverMs: number;
  readonly clientMs: number;
}

/** From enqueue to the first step, by the database's clock; runs of one step, placed at even distances. */
export async function latencyAt(inFolder: string, workers: number, rate: number): Promise<Latency> {
  const fleet = await startFleet(inFolder, 1);
  for (let n = 0; n < workers; n++) await fleet.worker();
  const some = async (count: number): Promise<readonly string[]> => {
    const began = performance.now();
    const placed: Promise<string>[] = [];
    for (let n = 1; n <= count; n++) {
      placed.push(fleet.place());
      await pause(Math.max(0, began + n * (1000 / rate) - performance.now()));
    }
    const ids = await Promise.all(placed);
    while ((await fleet.left()) > 0) await pause(50);
    return ids;
  };
  await some(Math.max(60, rate * 2));
  const [serverThen, clientThen] = [fleet.serverMs(), process.cpuUsage()];
  const ids = await some(Math.max(200, rate * 8));
  const { user, system } = process.cpuUsage(clientThen);
  const used = {
    serverMs: (fleet.serverMs() - serverThen) / ids.length,
    clientMs: (user + system) / 1000 / ids.length,
  };
  const times = [...(await fleet.waits(ids))].sort((a, b) => a - b);
  await fleet.close();
  return { rate, p50: times[times.length >> 1] ?? 0, p99: times[Math.floor(times.length * 0.99)] ?? 0, ...used };
}

export interface RoundTrips {
  /** Milliseconds of a commit of one row, one after the other on one connection. */
  readonly commit: number;
  /** From a NOTIFY to whoever listens. */
  readonly notice: number;
}

export async function roundTrips(): Promise<RoundTrips> {
  const url = await newDatabase();
  const [one, other] = [new Client({ connectionString: url }), new Client({ connectionString: url })];
  await one.connect();
  await other.connect();
  await one.query("create table t (n int, x text)");
  const timed = async (times: number, work: (n: number) => Promise<unknown>): Promise<number> => {
    for (let n = 0; n < 100; n++) await work(n);
    const began = performance.now();
    for (let n = 0; n < times; n++) await work(n);
    return (performance.now() - began) / times;
  };
  const row = { name: "row", text: "insert into t values ($1, repeat('x', 400))" };
  const commit = await timed(2000, (n) => one.query({ ...row, values: [n] }));
  await other.query("listen bench");
  const notice = await timed(500, () => {
    const heard = new Promise((resolve) => other.once("notification", resolve));
    return Promise.all([heard, one.query("select pg_notify('bench', 'x')")]);
  });
  await one.end();
  await other.end();
  return { commit, notice };
}

async function startFleet(inFolder: string, steps: number) {
  const folder = mkdtempSync(join(inFolder, "load-"));
  writeFileSync(join(folder, "own.mjs"), PLUGIN);
  writeFileSync(join(folder, "segno.yaml"), "plugins: [own.mjs]\n");
  const file = join(folder, "flow.yaml");
  writeFileSync(file, flowOf(steps));
  const env = { PATH: process.env.PATH, SEGNO_HOME: join(folder, "home"), HOME: folder };
  const program = resolve("dist/main.cjs");
  spawnSync(process.execPath, [program, "trust", "--yes"], { cwd: folder, env });
  const url = await newDatabase();
  const { store, place, close } = await placing(url, folder, await extensionsFrom({ steps: [own] }));
  const elsewhere = new Client({ connectionString: url });
  await elsewhere.connect();
  const server = postmasterOf((await elsewhere.query("select pg_backend_pid() as pid")).rows[0].pid);
  const processes: ChildProcess[] = [];
  return {
    place: () => place(file),
    async worker(): Promise<ChildProcess> {
      const worker = spawn(process.execPath, [program, "worker", "--on", url], {
        ...{ cwd: folder, env },
        stdio: ["ignore", "ignore", "pipe"],
      });
      processes.push(worker);
      let said = "";
      await new Promise<void>((ready, reject) => {
        worker.once("exit", () => reject(new Error(`the worker ended: ${said}`)));
        worker.stderr?.on("data", (bytes) => {
          said += bytes;
          if (said.includes("runs at a time")) ready();
        });
      });
      return worker;
    },
    async left(): Promise<number> {
      const { rows } = await elsewhere.query("select count(*)::int as n from segno.runs where not drive_ended");
      return rows[0].n;
    },
    async waits(ids: readonly string[]): Promise<readonly number[]> {
      const rows = await store.surrounding.database.rows<{ ms: number }>(
        `select extract(epoch from min(e.at) - r.placed_at)::float8 * 1000 as ms
         from segno.runs r join segno.events e using (run_id) where r.run_id = any($1::text[]) group by r.run_id, r.placed_at`,
        [ids],
      );
      return rows.map(({ ms }) => ms);
    },
    async bytes(): Promise<number> {
      return Number((await elsewhere.query("select pg_database_size(current_database()) as n")).rows[0].n);
    },
    serverMs: () => msOfServer(server),
    async close(): Promise<void> {
      for (const worker of processes) worker.kill("SIGKILL");
      await elsewhere.end();
      await close();
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Fields of /proc/PID/stat from the state on. */
const statOf = (pid: number): readonly string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
};

/** As Linux counts it, in hundredths of a second. */
const msOf = (fields: readonly string[], from: number): number =>
  (Number(fields[from]) + Number(fields[from + 1])) * 10;

const [PARENT, OWN_TIME, TIME_OF_CHILDREN] = [1, 11, 13];

const cpuMsOf = ({ pid = 0 }: ChildProcess): number => msOf(statOf(pid), OWN_TIME);

/** Connections are its children. */
const postmasterOf = (backend: number): number => Number(statOf(backend)[PARENT]);

function msOfServer(postmaster: number): number {
  const own = statOf(postmaster);
  let ms = msOf(own, OWN_TIME) + msOf(own, TIME_OF_CHILDREN);
  for (const name of readdirSync("/proc"))
    if (/^\d+$/.test(name))
      try {
        const fields = statOf(Number(name));
        if (Number(fields[PARENT]) === postmaster) ms += msOf(fields, OWN_TIME);
      } catch {
        // It has ended.
      }
  return ms;
}
