// `npm run chaos -- --on postgres`: three workers of a fleet, of which one is killed, stopped or asked to leave every second
// or two while runs are placed and their questions answered. In the end every run has completed, no step that was done ran
// again, no journal has a gap, and no worker began anything after the others had given it up.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join, resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { randomFrom } from "../random.mjs";
import { counted, SLOTS } from "./counted.mjs";
import { begunAfterFence, faultsOf, spreadOf } from "./judge.mjs";
import { parts } from "./parts.mjs";
import { FILES } from "./work.mjs";
import { DEAD_MS, tellOf, WORKERS, Workers } from "./workers.mjs";

const PROGRAM = resolve("dist/main.cjs");
const SEAL_KEY = "c".repeat(64);
/** More would only wait for a place. */
const MOST_UNDERWAY = 12;
/** So long the last runs may take when nobody is killed any more. */
const SETTLE_MS = 120_000;

const lag = monitorEventLoopDelay({ resolution: 10 });

/** Gives how many things were wrong. */
export async function tormentFleet(base, options) {
  const { on, seed, minutes = 1, counted: counts } = options;
  const built = await parts();
  if (options.triggers) return (await import("./triggers.mjs")).tormentTriggers(built, base, options);
  if (options.faults) return (await import("./database-faults.mjs")).tormentDatabase(built, base, options);
  const { ownCluster, openPostgresStore } = built;
  const own = on === "postgres" ? await ownCluster() : undefined;
  const server = own?.url ?? on;
  let workers;
  process.once("SIGINT", () => {
    workers?.end();
    own?.close();
    process.exit(130);
  });
  const folder = join(base, "fleet");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const url = await newDatabase(server, own);
  const log = join(folder, "log");
  const store = await openPostgresStore(url, { home: join(folder, "look"), sealKey: SEAL_KEY, silenceMs: DEAD_MS });
  const { database } = store.access;
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NO_COLOR: "1",
    CI: "1",
    CHAOS_LOG: log,
    SEGNO_ON: url,
    SEGNO_HOME: join(folder, "home"),
    SEGNO_SEAL_KEY: SEAL_KEY,
    SEGNO_BEAT_SECONDS: "0.5",
    SEGNO_DEAD_SECONDS: String(DEAD_MS / 1000),
  };
  const tell = tellOf(database);
  workers = new Workers(randomFrom(seed), {
    program: PROGRAM,
    cwd: folder,
    env,
    tell,
    ...(counts ? { concurrency: SLOTS[counts.slots] } : {}),
    areApart: options.apart,
  });
  const runs = [];
  const adopted = [];
  const underway = async () =>
    Number((await database.rows("select count(*) as n from segno.runs where status <> 'completed'"))[0].n);
  let isOver = false;
  try {
    await workers.begin();
    lag.enable();
    const place = async (count) => {
      const from = runs.length;
      const numbers = Array.from({ length: count }, (_, more) => from + more);
      runs.push(...(await Promise.all(numbers.map((number) => placed(folder, env, number)))));
    };
    const again = async (ms, work) => {
      for (; !isOver; await pause(ms)) await work();
    };
    const torment = counts ? counted(counts) : atRandom(seed + 1, minutes);
    const round = async () => {
      await torment({ workers, place, underway });
      await workers.awake();
      const end = Date.now() + SETTLE_MS;
      while ((await underway()) > 0 && Date.now() < end) await pause(200);
      isOver = true;
    };
    // What fails in one of them ends the round, and its workers and its Postgres with it.
    await Promise.all([
      round(),
      again(100, () => answerAll(store, folder)),
      again(50, () => lookForAdopted(database, workers.orphans, adopted)),
    ]);
    return report(await judged(store, runs, log, workers), { runs, workers, adopted, seed, counts });
  } finally {
    isOver = true;
    workers.end();
    await store.close();
    own?.close();
  }
}

/** Runs are placed and mishaps happen, side by side, for so long. */
const atRandom =
  (seed, minutes) =>
  async ({ workers, place, underway }) => {
    const until = Date.now() + minutes * 60_000;
    const random = randomFrom(seed);
    await Promise.all([
      (async () => {
        while (Date.now() < until)
          if ((await underway()) >= MOST_UNDERWAY) await pause(100);
          else await place(3);
      })(),
      (async () => {
        while (Date.now() < until) {
          await pause(random.between(500, 2500));
          await workers.mishap();
        }
      })(),
    ]);
  };

async function newDatabase(server, own) {
  if (own) return own.empty();
  const { Client } = await import("pg");
  const client = new Client({ connectionString: server });
  await client.connect();
  const address = new URL(server);
  address.pathname = `/chaos_${process.pid}`;
  await client.query(`create database chaos_${process.pid}`);
  await client.end();
  return address.href;
}

async function placed(cwd, env, n) {
  const args = ["run", "work.yaml", "--detach", "-i", `id=run${n}`, "--output-format", "json"];
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.on("data", (bytes) => {
    text += bytes;
  });
  await new Promise((done) => child.once("close", done));
  return JSON.parse(text).run_id;
}

async function answerAll(store, cwd) {
  const answer = { kind: "gate", value: "yes", additional_input: {}, by: "cli" };
  const request = { kind: "further", cwd, inputs: {} };
  for (const { runId, key } of await store.state.gates.pending())
    await store.fleet.answer(runId, key, { answer }, { request });
}

/** Moves those that another worker has taken; those that had ended by themselves are nobody's to adopt. */
async function lookForAdopted(database, orphans, adopted) {
  if (orphans.length === 0) return;
  const rows = await database.rows(
    `select run_id, l.holder, l.since, r.drive_ended, s.started_at_epoch_ms as dequeued,
       array(select w.worker || ' ' || w.heard from segno.workers w) as heard
     from segno.leases l join segno.runs r using (run_id)
     left join dbos.workflow_status s on s.workflow_uuid = r.run_id || ':' || r.drive
     where run_id = any($1::text[])`,
    [orphans.map(({ run }) => run)],
  );
  for (const { run_id, holder, since, drive_ended, dequeued, heard } of rows)
    for (const orphan of orphans.filter(({ run }) => run === run_id)) {
      const isTaken = holder !== null && holder !== orphan.from && Number(since) >= orphan.at;
      const lastBeat = heard
        .find((one) => one.startsWith(`${orphan.from} `))
        ?.split(" ")
        .at(-1);
      const after = (ms) => Number(ms) - orphan.at;
      if (isTaken)
        adopted.push({ ms: after(since), how: orphan.how, beatMs: after(lastBeat), dequeuedMs: after(dequeued) });
      if (isTaken || drive_ended) orphans.splice(orphans.indexOf(orphan), 1);
    }
}

async function judged(store, runs, log, { woken }) {
  const faults = { repeated: [], gaps: [], misdated: [], unfinished: [] };
  for (const run of runs) {
    const events = [];
    for await (const event of (await store.readRun(run)).events()) events.push(event);
    for (const [kind, found] of Object.entries(faultsOf(run, events))) faults[kind].push(...found);
  }
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : [];
  return { ...faults, afterFence: begunAfterFence(lines, woken), scripts: lines.length };
}

function report(
  { repeated, gaps, misdated, unfinished, afterFence, scripts },
  { runs, workers, adopted, seed, counts },
) {
  // With a free place somewhere, nothing but D keeps a run from being taken.
  const late = counts?.slots === "free" ? adopted.filter(({ ms }) => ms > DEAD_MS + 1000) : [];
  const wrong = [
    ...repeated,
    ...gaps,
    ...misdated,
    ...unfinished,
    ...afterFence,
    ...late.map(
      ({ ms, how, beatMs, dequeuedMs }) =>
        `adopted ${ms} ms after a ${how} (last beat at ${beatMs}, taken from the queue at ${dequeuedMs})`,
    ),
  ];
  for (const one of wrong.slice(0, 20)) console.log(one);
  const { count, p50, max } = spreadOf(adopted.map(({ ms }) => ms));
  const { kills, stops, leaves, woken } = workers;
  console.log(`chaos on Postgres, ${WORKERS} workers, D ${DEAD_MS / 1000} s${counts ? `, slots ${counts.slots} (${SLOTS[counts.slots]} each)` : ""} (seed ${seed})
  kills                         ${kills}
  stops                         ${stops}, ${woken.length} of them too long
  asked to leave                ${leaves}
  runs                          ${runs.length}, ${unfinished.length} not completed
  scripts begun                 ${scripts}
  steps repeated                ${repeated.length}
  gaps                          ${gaps.length}
  events with a wrong time      ${misdated.length}
  steps begun after the fence   ${afterFence.length}
  adoptions                     ${count}, p50 ${p50}, max ${max}
  load average                  ${loadavg()
    .map((load) => load.toFixed(1))
    .join(" ")} on ${cpus().length} cores
  this process was late by      ${(lag.max / 1e6).toFixed(0)} ms at most: a machine that is that busy is slow to adopt`);
  return wrong.length;
}
