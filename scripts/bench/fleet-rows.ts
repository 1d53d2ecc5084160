// `SEGNO_BENCH_ON=postgres://… npm run bench -- fleet`: what a fleet asks of its Postgres. Statements are counted by
// pg_stat_statements, which the server has to load (shared_preload_libraries), commits by the server itself: a statement
// outside of a transaction is one of each. Counts say the same on a busy machine.
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DBOSClient } from "@dbos-inc/dbos-sdk";
import { Client } from "pg";
import { runWorker } from "../../src/features/fleet/work/worker.ts";
import { extensionsFrom } from "../../src/services/session/extensions.ts";
import { newDatabase, placing, startWorker } from "./fleet.ts";
import { drained } from "./fleet-load.ts";
import { flowOf, own } from "./loaded-fleet.ts";
import { fileIn, loopFile, median, printRow, type Row } from "./measured.ts";
import { familyOf, parentOf, processorSince } from "./processor.ts";

const [wanted = "", folder = ""] = process.argv.slice(2);

interface Counts {
  readonly statements: number;
  readonly commits: number;
}

/** Of all who use the database but this counter, which has a connection elsewhere. */
async function counter(url: string): Promise<() => Promise<Counts>> {
  const elsewhere = new URL(url);
  const name = elsewhere.pathname.slice(1);
  elsewhere.pathname = "/postgres";
  const client = new Client({ connectionString: elsewhere.href });
  await client.connect();
  await client.query("create extension if not exists pg_stat_statements");
  // Else the server would do it while it is counted, in commits of its own.
  const here = new Client({ connectionString: url });
  await here.connect();
  await here.query("vacuum analyze");
  await here.end();
  return async () => {
    // A server process reports what it did once it has been idle for a second.
    await pause(1500);
    const { rows } = await client.query(
      `select xact_commit::int as commits, (select coalesce(sum(calls), 0)::int from pg_stat_statements where dbid = d.datid) as statements
       from pg_stat_database d where datname = $1`,
      [name],
    );
    return rows[0] as Counts;
  };
}

/** How much was asked in so long, beyond what an idle worker asks in that time. */
async function beyondIdle(count: () => Promise<Counts>, work: () => Promise<void>): Promise<Counts> {
  const measured = async (doing: () => Promise<unknown>) => {
    const before = await count();
    const began = performance.now();
    await doing();
    const after = await count();
    const ms = performance.now() - began;
    return { ms, statements: after.statements - before.statements, commits: after.commits - before.commits };
  };
  const idle = await measured(() => pause(10_000));
  const busy = await measured(work);
  const own = (of: "statements" | "commits"): number => busy[of] - (idle[of] / idle.ms) * busy.ms;
  return { statements: own("statements"), commits: own("commits") };
}

/** From its placing to its end, one after the other. */
async function ofARun(steps: number, most: Counts): Promise<Row> {
  const runs = 40;
  const url = await newDatabase();
  const extensions = await extensionsFrom({ steps: [own] });
  const stop = new AbortController();
  const env = { ...process.env, SEGNO_ON: url, SEGNO_HOME: join(folder, "worker-home"), SEGNO_SEAL_KEY: "" };
  const worker = await new Promise<{ readonly ended: Promise<number> }>((ready) => {
    const ended: Promise<number> = runWorker(
      { cwd: folder, env, extensions },
      { signal: stop.signal, said: (line) => (line.includes("runs at a time") ? ready({ ended }) : undefined) },
    );
  });
  const { place, close, isEnded } = await placing(url, folder, extensions);
  const file = fileIn(folder, `own-${steps}.yaml`, flowOf(steps));
  let looks = 0;
  const some = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const runId = await place(file);
      for (looks++; !(await isEnded(runId)); looks++) await pause(100);
    }
  };
  await some(5);
  looks = 0;
  const found = await beyondIdle(await counter(url), () => some(runs));
  stop.abort();
  await worker.ended;
  await close();
  const [statements, commits] = [(found.statements - looks) / runs, (found.commits - looks) / runs];
  return {
    direction: "at most",
    target: 1,
    ratio: Math.max(statements / most.statements, commits / most.commits),
    subject: `${statements.toFixed(1)} statements, ${commits.toFixed(1)} commits`,
    floor: `${most.statements} and ${most.commits}`,
  };
}

async function idleRow(): Promise<Row> {
  const worker = await startWorker(folder);
  const count = await counter(worker.url);
  const before = await count();
  const began = performance.now();
  await pause(20_000);
  const after = await count();
  const seconds = (performance.now() - began) / 1000;
  await worker.stop();
  const statements = (after.statements - before.statements) / seconds;
  // A commit without a statement is not the worker's: the server vacuums meanwhile.
  const commits = Math.min(statements, (after.commits - before.commits) / seconds);
  return {
    direction: "at most",
    target: 1,
    ratio: Math.max(statements / 5, commits / 2),
    subject: `${statements.toFixed(2)} statements, ${commits.toFixed(2)} commits a second`,
    floor: "5 and 2",
  };
}

/** By the database's clock. Placed at even distances, whether those before have ended or not. */
async function waitRow(): Promise<Row> {
  const worker = await startWorker(folder);
  const file = loopFile(folder, 1);
  const some = async (count: number): Promise<readonly string[]> => {
    const began = performance.now();
    const placed: Promise<string>[] = [];
    for (let n = 1; n <= count; n++) {
      placed.push(worker.place(file));
      await pause(Math.max(0, began + n * (1000 / 30) - performance.now()));
    }
    const ids = await Promise.all(placed);
    for (const id of ids) await worker.ended(id);
    return ids;
  };
  await some(60);
  const ids = await some(300);
  const rows = await worker.store.access.database.rows<{ ms: number }>(
    `select extract(epoch from min(e.at) - r.placed_at)::float8 * 1000 as ms from segno.runs r join segno.events e using (run_id)
     where r.run_id = any($1::text[]) group by r.run_id, r.placed_at`,
    [ids],
  );
  await worker.stop();
  const times = rows.map(({ ms }) => ms).sort((a, b) => a - b);
  const p50 = median(times);
  const subject = `${p50.toFixed(1)} ms, p90 ${(times[Math.floor(times.length * 0.9)] ?? 0).toFixed(1)} ms`;
  return { direction: "at most", target: 25, ratio: p50, subject, floor: "–" };
}

/** Beside each other on the cores of this machine, the server too. */
async function perSecondRow(steps: number, runs: number, least: number): Promise<Row> {
  const { perSecond, workerMs, serverMs } = await drained(folder, { workers: 2, steps, runs });
  const subject = `${perSecond.toFixed(0)} a second; ${workerMs.toFixed(1)} ms of worker and ${serverMs.toFixed(1)} of server each`;
  return { direction: "at least", target: least, ratio: perSecond, subject, floor: "–" };
}

/** Milliseconds of the processor of a workflow of ten steps on DBOS alone: of its worker and of the server, without its enqueue. */
async function onDbos(runs: number): Promise<number> {
  const url = await newDatabase();
  const program = resolve("scripts/bench/programs/dbos-worker.mjs");
  const worker = spawn(process.execPath, [program, url], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((ready) => worker.stdout.once("data", ready));
  const [dbos, sql] = [await DBOSClient.create({ systemDatabaseUrl: url }), new Client({ connectionString: url })];
  await sql.connect();
  const postmaster = parentOf((await sql.query("select pg_backend_pid() as pid")).rows[0].pid);
  const some = async (): Promise<number> => {
    worker.kill("SIGSTOP");
    for (let n = 0; n < runs; n++) await dbos.enqueue({ queueName: "bench", workflowName: "ten" });
    const ms = processorSince(() => [worker.pid ?? 0, ...familyOf(postmaster)]);
    worker.kill("SIGCONT");
    const left = "select 1 from dbos.workflow_status where status <> 'SUCCESS' limit 1";
    while ((await sql.query(left)).rows.length > 0) await pause(100);
    return ms() / runs;
  };
  await some();
  const found = [await some(), await some(), await some()];
  worker.kill("SIGKILL");
  return median(found);
}

async function againstDbosRow(): Promise<Row> {
  const runs = 200;
  const dbos = await onDbos(runs);
  const { workerMs, serverMs } = await drained(folder, { workers: 1, steps: 10, runs });
  const own = workerMs + serverMs;
  const floor = `${dbos.toFixed(1)} ms for ten steps of DBOS`;
  return { direction: "at most", target: 0.55, ratio: own / dbos, subject: `${own.toFixed(1)} ms`, floor };
}

const rows: Readonly<Record<string, () => Promise<Row>>> = {
  "scale: fleet: statements and commits of a run of one step": () => ofARun(1, { statements: 14, commits: 6 }),
  "scale: fleet: statements and commits of a run of ten steps": () => ofARun(10, { statements: 24, commits: 15 }),
  "scale: fleet: statements and commits of an idle worker": idleRow,
  "scale: fleet: from enqueue to the first step, p50 in ms, 30 runs a second": waitRow,
  "scale: fleet: runs a second of two workers, one step": () => perSecondRow(1, 600, 140),
  "scale: fleet: runs a second of two workers, ten steps": () => perSecondRow(10, 300, 100),
  "scale: fleet: worker and server, ten own steps, against ten of DBOS": againstDbosRow,
};

await printRow(rows, wanted);
process.exit(0);
