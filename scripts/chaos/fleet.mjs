// `npm run chaos -- --on postgres://…`: three workers of a fleet, of which one is killed, stopped for too long or asked to
// leave every few seconds while runs are placed. In the end every run has completed, no step that was done ran again, and no
// journal has a gap. A database is made for it, and dropped when all went well.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { randomFrom } from "./random.mjs";

const PROGRAM = resolve("dist/main.cjs");
const DEAD_SECONDS = 3;

const WORK = `
workflow: { name: work, entry_point: begin }
agents:
  - { name: begin, type: set, value: "{{ [1, 2, 3, 4] }}", output_type: list, routes: [{ to: each }] }
  - { name: call, type: workflow, workflow: ./child.yaml, routes: [{ to: last }] }
  - { name: last, type: script, command: sleep, args: ["0.2"] }
for_each:
  - name: each
    type: for_each
    source: begin.output
    as: n
    max_concurrent: 2
    agent: { name: item, type: script, command: sleep, args: ["0.4"] }
    routes: [{ to: call }]
output: { done: "yes" }
`;
const CHILD = `
workflow: { name: child, entry_point: a }
agents:
  - { name: a, type: script, command: sleep, args: ["0.3"], routes: [{ to: b }] }
  - { name: b, type: set, value: "1" }
output: { b: "{{ b.output }}" }
`;

export async function tormentFleet(base, server, { seed, minutes = 1 }) {
  const random = randomFrom(seed);
  const folder = join(base, "fleet");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "work.yaml"), WORK);
  writeFileSync(join(folder, "child.yaml"), CHILD);
  const name = `chaos_${process.pid}`;
  const ask = async (url, text) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  await ask(server, `create database ${name}`);
  const at = new URL(server);
  at.pathname = `/${name}`;
  const env = {
    ...{ PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1", CI: "1" },
    ...{ SEGNO_ON: at.href, SEGNO_HOME: join(folder, "home"), SEGNO_SEAL_KEY: "c".repeat(64) },
    ...{ SEGNO_BEAT_SECONDS: "0.5", SEGNO_DEAD_SECONDS: String(DEAD_SECONDS) },
  };
  const start = () => spawn(process.execPath, [PROGRAM, "worker"], { cwd: folder, env, stdio: "ignore" });
  const segno = (...args) =>
    JSON.parse(
      spawnSync(process.execPath, [PROGRAM, ...args, "--output-format", "json"], {
        ...{ cwd: folder, env, encoding: "utf8", maxBuffer: 1 << 26 },
      }).stdout,
    );
  const workers = [start(), start(), start()];
  const runs = [];
  let mishaps = 0;
  for (const end = Date.now() + minutes * 60_000; Date.now() < end; ) {
    for (let count = 0; count < 3; count++) runs.push(segno("run", "work.yaml", "--detach").run_id);
    await pause(random.between(500, 2000));
    const which = random.between(0, workers.length - 1);
    const victim = workers[which];
    const how = random.pick(["SIGKILL", "SIGSTOP", "SIGTERM"]);
    victim.kill(how);
    mishaps += 1;
    if (how === "SIGSTOP") setTimeout(() => victim.kill("SIGCONT"), (DEAD_SECONDS + 2) * 1000).unref();
    workers[which] = start();
  }
  const wrong = [];
  for (const end = Date.now() + 120_000; ; await pause(200)) {
    const [{ left }] = await ask(at.href, "select count(*)::int as left from segno.runs where not drive_ended");
    if (left === 0) break;
    if (Date.now() > end) {
      wrong.push(`${left} runs were left behind`);
      break;
    }
  }
  for (const run of runs) wrong.push(...faultsOf(run, segno("events", run).events));
  for (const worker of workers) worker.kill("SIGKILL");
  if (wrong.length === 0) await ask(server, `drop database ${name} with (force)`);
  return { runs: runs.length, mishaps, wrong };
}

function faultsOf(run, events) {
  const wrong = [];
  const done = new Set();
  events.forEach(({ seq, type, path, data }, at) => {
    if (seq !== at + 1) wrong.push(`${run}: event ${seq} stands where ${at + 1} should`);
    const key = `${path.join("/")} ${data.key}`;
    if (type === "script_spawned" && done.has(key)) wrong.push(`${run}: ${key} ran again after it was done`);
    if (type === "agent_completed") done.add(key);
  });
  if (events.at(-1)?.type !== "workflow_completed") wrong.push(`${run} ended with ${events.at(-1)?.type}`);
  return wrong;
}
