// A fleet to measure: a database of its own in the Postgres that SEGNO_BENCH_ON names, drives in this process, and a worker.
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { Client } from "pg";
import { fileDigest } from "../../src/engine/visit/hash.ts";
import { openPostgresStore, type PostgresStore } from "../../src/features/fleet/postgres/store.ts";
import { firstDrive } from "../../src/features/fleet/work/fleet-request.ts";
import { familySources } from "../../src/language/loaded.ts";
import { prepareRun } from "../../src/services/drive/prepare.ts";
import { driveRun, reportRun } from "../../src/services/drive/to-its-end.ts";
import type { Session } from "../../src/services/session/session.ts";
import type { Executor } from "../../src/steps/step-type.ts";
import { STEP_TYPES } from "../../src/steps/types.ts";
import { newRunId } from "../../src/storage/run-index.ts";
import { seconds } from "./measured.ts";
import { processorMs } from "./processor.ts";

const server = process.env.SEGNO_BENCH_ON ?? "";

/** A database with nothing in it; gives its address. */
export async function newDatabase(): Promise<string> {
  const name = `bench_${process.pid}_${Date.now()}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** What the server promises when it has committed. */
export async function durability(): Promise<string> {
  const client = new Client({ connectionString: server });
  await client.connect();
  const { rows } = await client.query("select current_setting('fsync') as fsync");
  await client.end();
  return rows[0].fsync === "on" ? "fsync" : "no fsync";
}

/** A `set` step may run before the one before it is recorded; a step that is like others may not. */
const executor = async (): Promise<Executor<never, unknown>> => ({
  ...(await STEP_TYPES.set.executor()),
  isPure: false,
});
const LIKE_OTHERS = { set: { ...STEP_TYPES.set, executor } };

/** Seconds of a run that is driven in this process, each step recorded before the next unless `isPure`. */
export async function driven(url: string, file: string, folder: string, isPure = false): Promise<number> {
  const home = join(folder, "fleet-home");
  const store = await openPostgresStore(url, { home, worker: { name: "bench", concurrency: 1, protocol: "1" } });
  const runId = newRunId();
  const session = { cwd: folder, env: {}, ...(isPure ? {} : { extensions: { stepTypes: LIKE_OTHERS } }) };
  const setup = await prepareRun(session, { runId, file, inputs: {} });
  const { name } = setup.workflow.definition.workflow;
  const run = await store.createRun({ runId, workflow: name, file: setup.workflow.file, durability: "process" });
  const time = await seconds(() => driveRun(setup, {}, store, run).then(reportRun));
  await store.close();
  return time;
}

interface Placing {
  readonly store: PostgresStore;
  /** Places a run of the file; gives its id. */
  place(file: string): Promise<string>;
  isEnded(runId: string): Promise<boolean>;
  close(): Promise<void>;
}

export async function placing(url: string, folder: string, extensions?: Session["extensions"]): Promise<Placing> {
  const store = await openPostgresStore(url, { home: join(folder, "fleet-home") });
  return {
    store,
    async place(file) {
      const runId = newRunId();
      const session = { cwd: folder, env: {}, ...(extensions ? { extensions } : {}) };
      const asked = { file, inputs: {} };
      const { workflow } = await prepareRun(session, { runId, ...asked });
      const { name } = workflow.definition.workflow;
      const sources = familySources(workflow);
      await store.fleet.begin(
        { runId, workflow: name, file, durability: "process" },
        {
          request: firstDrive(
            session,
            asked,
            file,
            { journal: {}, names: [] },
            { drive: 1, digest: fileDigest(workflow) },
          ),
          pins: { drive: 1, sources },
        },
      );
      return runId;
    },
    isEnded: async (runId) => (await store.fleet.standing(runId))?.isEnded !== false,
    close: () => store.close(),
  };
}

export interface BenchWorker extends Pick<Placing, "store" | "place"> {
  readonly url: string;
  /** Until its last drive has ended. */
  ended(runId: string): Promise<void>;
  /** Milliseconds of the processor that the worker has used so far. */
  cpuMs(): number;
  stop(): Promise<void>;
}

export async function startWorker(folder: string): Promise<BenchWorker> {
  const url = await newDatabase();
  const { store, place, isEnded, close } = await placing(url, folder);
  const worker = spawn(process.execPath, [resolve("dist/main.cjs"), "worker", "--on", url], {
    env: { PATH: process.env.PATH, SEGNO_HOME: join(folder, "worker-home") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise((ready) => worker.stderr.once("data", ready));
  return {
    url,
    store,
    place,
    async ended(runId) {
      while (!(await isEnded(runId))) await new Promise((next) => setTimeout(next, 20));
    },
    cpuMs: () => processorMs(worker.pid ?? 0),
    async stop() {
      worker.kill("SIGKILL");
      await close();
    },
  };
}
