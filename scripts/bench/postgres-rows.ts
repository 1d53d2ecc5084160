// The rows of a fleet. They need a Postgres that may be written to: SEGNO_BENCH_ON=postgres://… (a database is made in it).
import { DBOS } from "@dbos-inc/dbos-sdk";
import { Client } from "pg";
import { driven, durability, newDatabase, startWorker } from "./fleet.ts";
import { fileIn, inTurns, loopFile, median, ofStepsAlone, printRow, type Row, seconds } from "./measured.ts";

const [wanted = "", folder = ""] = process.argv.slice(2);
const STEPS = 400;
const TURNS = 9;

/** Seconds of so many one-row commits on one connection. */
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

/** Seconds of so many steps of a workflow of DBOS. */
async function dbosSteps(url: string): Promise<() => Promise<number>> {
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, logLevel: "error" });
  const work = DBOS.registerWorkflow(
    async () => {
      for (let n = 0; n < STEPS; n++) await DBOS.runStep(async () => n, { name: "one" });
    },
    { name: "bare" },
  );
  await DBOS.launch();
  return () => seconds(() => work());
}

async function stepAgainst(
  floorIn: (url: string) => Promise<() => Promise<number>>,
  target: number,
  name: string,
  isPure = false,
): Promise<Row> {
  const url = await newDatabase();
  const drive = (steps: number): Promise<number> => driven(url, loopFile(folder, steps), folder, isPure);
  const one = await floorIn(url);
  // Both have run before it counts.
  await drive(STEPS);
  await one();
  const { ratio, floor, subject } = await inTurns(TURNS, one, () => ofStepsAlone(STEPS, drive));
  return {
    direction: "at most",
    target,
    ratio,
    subject: `${((subject / STEPS) * 1000).toFixed(3)} ms a step (${await durability()})`,
    floor: `${((floor / STEPS) * 1000).toFixed(3)} ms a ${name}`,
  };
}

/** Milliseconds between two moments of a run, by the database's clock. */
async function stretch(worker: Awaited<ReturnType<typeof startWorker>>, runId: string, sql: string): Promise<number> {
  const rows = await worker.store.access.database.rows<{ ms: number }>(
    `select extract(epoch from ${sql})::float8 * 1000 as ms from segno.runs r join segno.events e using (run_id)
     where r.run_id = $1 group by r.placed_at`,
    [runId],
  );
  return rows[0]?.ms ?? Number.NaN;
}

const pause = (ms: number): Promise<void> => new Promise((over) => setTimeout(over, ms));

const rows: Readonly<Record<string, () => Promise<Row>>> = {
  "postgres: a step against a raw commit": () => stepAgainst(rawCommits, 2, "commit"),

  "postgres: a set step, which may lag behind, against a raw commit": () => stepAgainst(rawCommits, 1, "commit", true),

  "postgres: a step against DBOS.runStep": () => stepAgainst(dbosSteps, 0.3, "step"),

  "postgres: from enqueue to the first step, p50 in ms": async () => {
    const worker = await startWorker(folder);
    const times: number[] = [];
    for (let turn = -5; turn < 40; turn++) {
      // Not in step with the worker's polling.
      await pause(Math.random() * 100);
      const runId = await worker.place(loopFile(folder, 10));
      await worker.ended(runId);
      if (turn >= 0) times.push(await stretch(worker, runId, "min(e.at) - r.placed_at"));
    }
    await worker.stop();
    const ms = median(times);
    return { direction: "at most", target: 120, ratio: ms, subject: `${ms.toFixed(0)} ms`, floor: "–" };
  },

  "postgres: the worker's CPU for a run of 10 steps, ms": async () => {
    const worker = await startWorker(folder);
    const runs = 200;
    const some = async (count: number): Promise<void> => {
      const ids: string[] = [];
      for (let n = 0; n < count; n++) ids.push(await worker.place(loopFile(folder, 10)));
      for (const id of ids) await worker.ended(id);
    };
    await some(50);
    // What it uses while nothing is to be done belongs to no run.
    const idleBegan = worker.cpuMs();
    const idleSeconds = await seconds(() => pause(4000));
    const idle = (worker.cpuMs() - idleBegan) / idleSeconds;
    const began = worker.cpuMs();
    const took = await seconds(() => some(runs));
    const each = (worker.cpuMs() - began - idle * took) / runs;
    await worker.stop();
    return {
      direction: "at most",
      target: 12,
      ratio: each,
      subject: `${each.toFixed(1)} ms`,
      floor: `${(idle / 10).toFixed(1)} % of a processor when idle`,
    };
  },

  "postgres: 1 000 items of 20 ms, 20 at a time, in one worker": async () => {
    const worker = await startWorker(folder);
    const file = fileIn(
      folder,
      "fleet-items.yaml",
      `workflow: { name: items, entry_point: xs, limits: { max_iterations: 5000 } }
agents:
  - { name: xs, type: set, value: "{{ range(1000) | list }}", routes: [{ to: each }] }
for_each:
  - { name: each, type: for_each, source: xs.output, as: x, max_concurrent: 20, agent: { name: w, type: wait, duration: 0.02s } }
`,
    );
    const times: number[] = [];
    for (let turn = -1; turn < 5; turn++) {
      const runId = await worker.place(file);
      await worker.ended(runId);
      if (turn >= 0) times.push(await stretch(worker, runId, "max(e.at) - min(e.at)"));
    }
    await worker.stop();
    const [ms, ideal] = [median(times), 1000];
    return {
      direction: "at most",
      target: 1.6,
      ratio: ms / ideal,
      subject: `${ms.toFixed(0)} ms`,
      floor: `${ideal} ms if nothing took time but the items`,
    };
  },
};

await printRow(rows, wanted);
process.exit(0);
