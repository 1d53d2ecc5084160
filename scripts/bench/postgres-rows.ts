// The rows of a fleet. They need a Postgres that may be written to: SEGNO_BENCH_ON=postgres://… (a database is made in it).
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { Client } from "pg";
import { openPostgresStore } from "../../src/hosts/postgres/store.ts";
import { newRunId } from "../../src/hosts/run-id.ts";
import { familySources } from "../../src/language/loaded.ts";
import { fresh } from "../../src/services/drive/fresh.ts";
import { driveToItsEnd } from "../../src/services/drive/to-its-end.ts";
import { firstDrive } from "../../src/services/fleet/fleet-request.ts";

const [wanted = "", folder = ""] = process.argv.slice(2);
const server = process.env.SEGNO_BENCH_ON ?? "";
const STEPS = 400;
const home = join(folder, "fleet-home");

async function database(): Promise<string> {
  const name = `bench_${process.pid}_${Date.now()}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const loop = (steps: number): string =>
  file(
    `fleet-loop-${steps}.yaml`,
    `workflow: { name: loop, entry_point: a, limits: { max_iterations: 100000 } }
agents:
  - { name: a, type: set, value: "{{ context.iteration }}", routes: [{ to: $end, when: "{{ context.iteration >= ${steps} }}" }, { to: a }] }
`,
  );

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - began) / 1e9;
}

async function rawCommits(url: string): Promise<() => Promise<number>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("create table if not exists raw (n int, data text)");
  const data = "x".repeat(300);
  return () =>
    seconds(async () => {
      for (let n = 0; n < STEPS; n++)
        await client.query({ name: "raw", text: "insert into raw values ($1, $2)", values: [n, data] });
    });
}

/** Seconds of a loop of so many steps, driven in this process. */
async function driven(url: string, steps: number): Promise<number> {
  const store = await openPostgresStore(url, { home, worker: { name: "bench", concurrency: 1, protocol: "1" } });
  const runId = newRunId();
  const env = {};
  const setup = await fresh({ runId, file: loop(steps), inputs: {}, cwd: folder, env });
  const { name } = setup.workflow.definition.workflow;
  const run = await store.createRun({ runId, workflow: name, file: setup.workflow.file, durability: "process" });
  const time = await seconds(() => driveToItsEnd(setup, { cwd: folder, env }, store, run));
  await store.close();
  return time;
}

const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

async function stepAgainst(floor: (url: string) => Promise<() => Promise<number>>, target: number, name: string) {
  const url = await database();
  await driven(url, 20);
  const one = await floor(url);
  await one();
  const ratios: number[] = [];
  let [step, bare] = [0, 0];
  for (let turn = 0; turn < 5; turn++) {
    const short = await driven(url, 1);
    step = (await driven(url, STEPS + 1)) - short;
    bare = await one();
    ratios.push(step / bare);
  }
  return {
    direction: "at most" as const,
    target,
    ratio: median(ratios),
    subject: `${((step / STEPS) * 1000).toFixed(3)} ms a step`,
    floor: `${((bare / STEPS) * 1000).toFixed(3)} ms a ${name}`,
  };
}

const rows = {
  "postgres: a step against a raw commit": () => stepAgainst(rawCommits, 2, "commit"),

  "postgres: a step against DBOS.runStep": () =>
    stepAgainst(
      async (url) => {
        DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, logLevel: "error" });
        const work = DBOS.registerWorkflow(
          async () => {
            for (let n = 0; n < STEPS; n++) await DBOS.runStep(async () => n, { name: "one" });
          },
          { name: "bare" },
        );
        await DBOS.launch();
        return () => seconds(() => work());
      },
      0.3,
      "step",
    ),

  "postgres: from enqueue to the first step, ms": async () => {
    const url = await database();
    const store = await openPostgresStore(url, { home });
    const worker = spawn(process.execPath, [resolve("dist/main.cjs"), "worker", "--on", url], {
      env: { PATH: process.env.PATH, SEGNO_HOME: join(folder, "worker-home") },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await new Promise((ready) => worker.stderr.once("data", ready));
    const path = loop(10);
    const times: number[] = [];
    for (let turn = 0; turn < 25; turn++) {
      const runId = newRunId();
      const setup = await fresh({ runId, file: path, inputs: {}, cwd: folder, env: {} });
      await store.fleet.begin(
        { runId, workflow: "loop", file: path, durability: "process" },
        {
          request: firstDrive({ file: path, inputs: {}, cwd: folder, env: {} }, path, {}),
          pins: { drive: 1, sources: familySources(setup.workflow) },
        },
      );
      while ((await store.fleet.standing(runId))?.isEnded === false) await new Promise((next) => setTimeout(next, 20));
      const rowsOf = await store.surrounding.database.rows<{ ms: number }>(
        `select extract(epoch from min(e.at) - r.placed_at)::float8 * 1000 as ms from segno.runs r join segno.events e using (run_id)
         where r.run_id = $1 group by r.placed_at`,
        [runId],
      );
      times.push(rowsOf[0]?.ms ?? Number.NaN);
    }
    worker.kill("SIGKILL");
    await store.close();
    return {
      direction: "at most" as const,
      target: 120,
      ratio: median(times.slice(5)),
      subject: `${median(times.slice(5)).toFixed(0)} ms`,
      floor: "–",
    };
  },
};

const row = rows[wanted as keyof typeof rows];
if (!row) throw new Error(`there is no row ${wanted}`);
console.log(JSON.stringify({ name: wanted, ...(await row()) }));
process.exit(0);
