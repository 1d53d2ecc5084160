// `npm run chaos -- --on postgres --triggers`: three workers that drive the triggers of one project, killed at any moment and
// right after they have taken a delivery. In the end there is one run for each moment and each delivery, all have completed,
// and of each key one went on at a time.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { buildSync } from "esbuild";
import { randomFrom } from "../random.mjs";
import { WORKERS } from "./workers.mjs";

/** Longer than elsewhere: three workers that start again and again are slow to give signs of life. */
const DEAD_MS = 5000;
const SEAL_KEY = "c".repeat(64);
/** So long the last runs may take when nobody is killed any more. */
const SETTLE_MS = 240_000;

const FILES = {
  "flow.yaml": JSON.stringify({
    workflow: { name: "flow", entry_point: "a", input: { what: { type: "string" }, key: { type: "string" } } },
    agents: [
      { name: "a", type: "script", command: "sleep", args: ["0.05"], routes: [{ to: "b" }] },
      { name: "b", type: "set", value: "{{ workflow.input.what }}" },
    ],
  }),
  // A minute of virtual time takes three seconds here.
  "segno.yaml": JSON.stringify({
    name: "chaos",
    triggers: [
      {
        name: "minutely",
        workflow: "flow.yaml",
        schedule: "* * * * *",
        inputs: { what: "{{ trigger.scheduled_at }}", key: "minutely" },
        overlap: "queue",
        catch_up: "all",
      },
      {
        name: "pushed",
        workflow: "flow.yaml",
        webhook: { path: "/hooks/chaos", secret: "chaos", verify: "github" },
        inputs: { what: "{{ trigger.body.number | string }}", key: "{{ trigger.body.key }}" },
        concurrency: { key: "{{ trigger.body.key }}", limit: 1 },
      },
    ],
  }),
};

function workerProgram() {
  const outfile = resolve("dist/chaos-trigger-worker.mjs");
  const entry = resolve("scripts/chaos/servers/trigger-worker.ts");
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", packages: "external" });
  return outfile;
}

/** Gives how many things were wrong. */
export async function tormentTriggers({ ownCluster, openPostgresStore }, base, { on, seed, minutes = 1 }) {
  if (on !== "postgres") throw new Error("--triggers starts a Postgres of its own: --on postgres");
  const own = await ownCluster();
  const folder = join(base, "triggers");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const url = await own.empty();
  const store = await openPostgresStore(url, { home: join(folder, "look"), sealKey: SEAL_KEY, silenceMs: DEAD_MS });
  const { database } = store.access;
  const program = workerProgram();
  const random = randomFrom(seed);
  const began = Date.now();
  const quietFrom = began + minutes * 60_000;
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SEGNO_ON: url,
    SEGNO_HOME: join(folder, "home"),
    SEGNO_SEAL_KEY: SEAL_KEY,
    SEGNO_BEAT_SECONDS: "0.5",
    SEGNO_DEAD_SECONDS: String(DEAD_MS / 1000),
  };
  const delivered = new Map();
  const wrong = [];
  const figures = { kills: 0, between: 0, claimed: 0, givenUp: 0 };
  const children = new Set();
  let isOver = false;

  const heard = (line) => {
    const [number, runId] = line.split(" ");
    if (line === "dies") figures.between += 1;
    if (runId === undefined) return;
    if ((delivered.get(number) ?? runId) !== runId) wrong.push(`delivery ${number} was answered with two runs`);
    delivered.set(number, runId);
  };
  const keepOne = async () => {
    while (!isOver) {
      const given = [program, folder, String(began), String(quietFrom), String(random.between(1, 1_000_000))];
      const child = spawn(process.execPath, given, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
      children.add(child);
      let [text, said, timer] = ["", "", undefined];
      child.stdout.once("data", () => {
        if (Date.now() < quietFrom) timer = setTimeout(() => child.kill("SIGKILL"), random.between(0, 4000));
      });
      child.stdout.on("data", (data) => {
        text += data;
        const lines = text.split("\n");
        text = lines.pop();
        for (const line of lines) heard(line);
      });
      child.stderr.on("data", (data) => (said += data));
      const [code, signal] = await new Promise((done) => child.once("exit", (...how) => done(how)));
      clearTimeout(timer);
      children.delete(child);
      if (signal === "SIGKILL") {
        figures.kills += 1;
        const [{ n }] = await database.rows(
          "select count(*) as n from segno.firings where status = 'fired' and not begun and owner like '%-' || $1 || ':%'",
          [String(child.pid)],
        );
        figures.claimed += Number(n);
      } else if (said.includes("sent no heartbeat")) figures.givenUp += 1;
      else if (code !== 0) wrong.push(`a worker ended with ${code ?? signal}: ${said.slice(-300)}`);
    }
  };
  const going = Array.from({ length: WORKERS }, keepOne);
  try {
    while (Date.now() < quietFrom) await pause(200);
    const isWaiting = async () =>
      (await store.state.firings.list({ status: "fired", limit: 1 })).length > 0 ||
      (await database.rows("select 1 from segno.runs where not drive_ended limit 1")).length > 0;
    for (const end = Date.now() + SETTLE_MS; Date.now() < end && (await isWaiting()); ) await pause(200);
    isOver = true;
    for (const child of children) child.kill("SIGTERM");
    const late = setTimeout(() => {
      for (const child of children) child.kill("SIGKILL");
    }, 20_000);
    await Promise.all(going);
    clearTimeout(late);
    wrong.push(...(await judged(store, delivered)));
    const firings = await store.state.firings.list({ limit: 100_000 });
    const moments = firings.filter(({ trigger }) => trigger.endsWith("#minutely")).length;
    console.log(
      `triggers on a fleet: ${figures.kills} kills of three workers (${figures.between} right after a delivery was taken, ${figures.claimed} firings claimed and not begun), ${figures.givenUp} given up by the others, ${moments} moments, ${delivered.size} deliveries, ${firings.length} firings, ${wrong.length} wrong (seed ${seed})`,
    );
    for (const one of wrong.slice(0, 20)) console.log(`  ${one}`);
    return wrong.length;
  } finally {
    isOver = true;
    for (const child of children) child.kill("SIGKILL");
    await store.close();
    own.close();
  }
}

async function judged(store, delivered) {
  const wrong = [];
  const firings = await store.state.firings.list({ limit: 100_000 });
  const moments = firings
    .filter(({ trigger }) => trigger.endsWith("#minutely"))
    .map(({ body }) => body.cause.scheduled_at);
  if (new Set(moments).size !== moments.length) wrong.push("a moment was fired twice");
  const sorted = [...moments].sort();
  for (let index = 1; index < sorted.length; index++)
    if (Date.parse(sorted[index]) - Date.parse(sorted[index - 1]) !== 60_000)
      wrong.push(`a moment after ${sorted[index - 1]} is missing`);
  const made = new Map(firings.map((firing) => [firing.runId, firing]));
  const runs = await store.runs();
  for (const { runId } of runs) if (!made.has(runId)) wrong.push(`the run ${runId} is of no firing`);
  if (runs.length !== made.size) wrong.push(`${made.size} firings made ${runs.length} runs`);
  for (const [number, runId] of delivered)
    if (!made.has(runId)) wrong.push(`delivery ${number} was answered with ${runId}, and there is no such firing`);
  const numbers = firings.filter(({ trigger }) => trigger.endsWith("#pushed")).map(({ body }) => body.inputs.what);
  if (new Set(numbers).size !== numbers.length) wrong.push("a delivery was fired twice");
  for (const { runId, status, reason } of firings)
    if (status !== "ended" || reason !== "completed") wrong.push(`the firing ${runId} is ${status}: ${reason}`);
  return [...wrong, ...(await overlaps(store, firings))];
}

/** Runs of one key, of which only one may go on at a time. */
async function overlaps(store, firings) {
  const byKey = new Map();
  for (const { runId, body, isPlaced } of firings) {
    if (!isPlaced) continue;
    const events = [];
    for await (const event of (await store.readRun(runId)).events()) events.push(event);
    const started = events.filter(({ type }) => type === "workflow_started").length;
    if (started !== 1) return [`${runId} was started ${started} times`];
    const span = { runId, from: Date.parse(events[0].ts), to: Date.parse(events.at(-1).ts) };
    byKey.set(body.inputs.key, [...(byKey.get(body.inputs.key) ?? []), span]);
  }
  const wrong = [];
  for (const [key, spans] of byKey) {
    spans.sort((a, b) => a.from - b.from);
    for (let index = 1; index < spans.length; index++)
      if (spans[index].from < spans[index - 1].to)
        wrong.push(`of ${key}, ${spans[index].runId} began before ${spans[index - 1].runId} had ended`);
  }
  return wrong;
}
