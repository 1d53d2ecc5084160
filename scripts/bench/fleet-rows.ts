// `SEGNO_BENCH_ON=postgres://… npm run bench -- fleet`: what a fleet asks of its Postgres. Statements are counted by
// pg_stat_statements, which the server has to load (shared_preload_libraries), commits by the server itself: a statement
// outside of a transaction is one of each. Counts say the same on a busy machine.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { runWorker } from "../../src/services/fleet/worker.ts";
import { pruneByRetention } from "../../src/services/runs/prune.ts";
import { extensionsFrom } from "../../src/services/session/extensions.ts";
import { newDatabase, placing, startWorker } from "./fleet.ts";
import { drained, flowOf, own } from "./fleet-load.ts";
import { fileIn, loopFile, median, printRow, type Row } from "./measured.ts";

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
      {
        signal: stop.signal,
        said: (line) => (line.includes("runs at a time") ? ready({ ended }) : undefined),
      },
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
  const rows = await worker.store.surrounding.database.rows<{ ms: number }>(
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

/** A number of milliseconds as the time of a run's id, in SQL. */
const timeOfId = (ms: string): string =>
  Array.from(
    { length: 10 },
    (_, at) => `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((${ms} >> ${(9 - at) * 5}) & 31)::int + 1, 1)`,
  ).join(" || ");

const MADE = 1_000_000;
const REMOVED = 20_000;
const FIRST = 1_700_000_000_000;

/** One a second, of 20 workflows, with two rows of events each. */
const MAKING = `
  set synchronous_commit = off;
  alter table segno.runs disable trigger user;
  insert into segno.runs (run_id, workflow, file, durability, version, status, started, ended, resumable, drive, drive_ended,
      request, placed_at)
    select ${timeOfId("ms")} || lpad(n::text, 16, '0'), 'w' || n % 20, '/project/w' || n % 20, 'process', '', 'completed', ms, ms + 500,
      false, 1, true, '{"kind":"first"}', to_timestamp(ms / 1000)
    from generate_series(1, ${MADE}) n, lateral (select ${FIRST}::bigint + n * 1000 as ms) t;
  alter table segno.runs enable trigger user;
  insert into segno.leases select run_id, '', 1, null, 0 from segno.runs;
  insert into segno.events (run_id, stream, first_seq, last_seq, epoch, data)
    select run_id, '', s, s, 1, repeat('x', 300) from segno.runs, generate_series(1, 2) s;
  insert into segno.pins (run_id, drive, path, hash) select run_id, 1, file, 'h' || workflow from segno.runs;
  insert into segno.sources (hash, data) select distinct hash, '"x"' from segno.pins;
  insert into dbos.workflow_status (workflow_uuid, status, name, queue_name, application_version, executor_id, created_at, updated_at)
    select run_id || ':1', 'SUCCESS', 'drive', 'segno-drives', '2', 'x', started, started from segno.runs;
  insert into dbos.workflow_input (workflow_uuid, inputs) select run_id || ':1', '{}' from segno.runs;
`;

/** By `retention:`, as a worker does it; the time is the server's own, and this process's processor. */
async function pruneRow(): Promise<Row> {
  const url = await newDatabase();
  const { store, close } = await placing(url, folder);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(MAKING);
  await client.query("create extension if not exists pg_stat_statements");
  await counter(url);
  const { datid } = (await client.query("select datid from pg_stat_database where datname = current_database()"))
    .rows[0];
  const serverMs = async (): Promise<number> =>
    (await client.query("select sum(total_exec_time)::float8 as ms from pg_stat_statements where dbid = $1", [datid]))
      .rows[0].ms;
  const [before, own] = [await serverMs(), process.cpuUsage()];
  const older_than = (Date.now() - FIRST - REMOVED * 1000) / 1000;
  const gone = await pruneByRetention(store, "/project", { older_than }, (_, message) => {
    throw new Error(message);
  });
  const { user, system } = process.cpuUsage(own);
  const each = ((await serverMs()) - before) / gone.length;
  await client.end();
  await close();
  const subject = `${each.toFixed(2)} ms of the server and ${((user + system) / 1000 / gone.length).toFixed(2)} here, each of ${gone.length}`;
  return { direction: "at most", target: 1, ratio: each / 0.5, subject, floor: "0.5 ms; 1 000 000 runs" };
}

/** Beside each other on the cores of this machine, the server too. */
async function perSecondRow(steps: number, runs: number, least: number): Promise<Row> {
  const { perSecond, workerMs, serverMs } = await drained(folder, 2, steps, runs);
  const subject = `${perSecond.toFixed(0)} a second; ${workerMs.toFixed(1)} ms of worker and ${serverMs.toFixed(1)} of server each`;
  return { direction: "at least", target: least, ratio: perSecond, subject, floor: "–" };
}

const rows: Readonly<Record<string, () => Promise<Row>>> = {
  "scale: fleet: statements and commits of a run of one step": () => ofARun(1, { statements: 14, commits: 6 }),
  "scale: fleet: statements and commits of a run of ten steps": () => ofARun(10, { statements: 24, commits: 15 }),
  "scale: fleet: statements and commits of an idle worker": idleRow,
  "scale: fleet: from enqueue to the first step, p50 in ms, 30 runs a second": waitRow,
  "scale: fleet: runs a second of two workers, one step": () => perSecondRow(1, 1500, 140),
  "scale: fleet: runs a second of two workers, ten steps": () => perSecondRow(10, 700, 100),
  "scale: fleet: retention with 1 000 000 runs": pruneRow,
};

await printRow(rows, wanted);
process.exit(0);
