// Two servers of triggers on one store, killed at any moment and started again: one run for each scheduled moment and for
// each delivery, whoever fired it and whoever died in between.
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { runsIn } from "../outcome.mjs";
import { newPlace } from "../places.mjs";
import { randomFrom } from "../random.mjs";
import { segno } from "../segno.mjs";

const SERVER = fileURLToPath(new URL("../servers/trigger-server.ts", import.meta.url));

const FLOW = JSON.stringify({
  workflow: { name: "flow", entry_point: "a", input: { what: { type: "string" } } },
  agents: [
    { name: "a", type: "script", command: "sleep", args: ["0.05"], routes: [{ to: "b" }] },
    { name: "b", type: "set", value: "{{ workflow.input.what }}" },
  ],
});

/** Minutes of virtual time are seconds here. */
const PROJECT = JSON.stringify({
  triggers: [
    {
      name: "minutely",
      workflow: "flow.yaml",
      schedule: "* * * * *",
      inputs: { what: "{{ trigger.scheduled_at }}" },
      overlap: "queue",
      catch_up: "all",
    },
    {
      name: "pushed",
      workflow: "flow.yaml",
      webhook: { path: "/hooks/chaos", secret: "chaos", verify: "github" },
      inputs: { what: "{{ trigger.body.number | string }}" },
    },
  ],
});

/** A few seconds among the other mishaps; `--triggers` gives it longer. */
export async function triggers(base, seed, { few, seconds = few ? 5 : 12 }) {
  const place = newPlace(base, "triggers", { "flow.yaml": FLOW, "segno.yaml": PROJECT });
  const home = join(place, "home");
  const program = join(place, "server.mjs");
  buildSync({
    entryPoints: [SERVER],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql", "@github/copilot-sdk"],
    logLevel: "error",
    banner: {
      js: 'import { createRequire as requireFor } from "node:module"; globalThis.require ??= requireFor(import.meta.url);',
    },
  });
  const random = randomFrom(seed);
  const began = Date.now();
  const quietFrom = began + seconds * 1000;
  const until = quietFrom + 90_000;
  const delivered = new Map();
  const wrong = [];
  let kills = 0;

  const serve = () => {
    const child = spawn(process.execPath, [program, place, home, String(began), String(until), String(quietFrom)], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_PATH: resolve("node_modules") },
    });
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      const lines = text.split("\n");
      text = lines.pop();
      for (const line of lines) {
        const [number, runId] = line.split(" ");
        if (runId === undefined) continue;
        if ((delivered.get(number) ?? runId) !== runId) wrong.push(`delivery ${number} was answered with two runs`);
        delivered.set(number, runId);
      }
    });
    let said = "";
    child.stderr.on("data", (data) => (said += data));
    const ended = new Promise((done) => child.once("exit", (code, signal) => done({ code, signal, said })));
    return { child, ended };
  };

  await Promise.all(
    [0, 1].map(async () => {
      for (let isOver = false; !isOver && Date.now() < until; ) {
        const { child, ended } = serve();
        // Starting takes longer than anything else: the time to die counts from the first thing that was done.
        let timer;
        child.stdout.once("data", () => {
          if (Date.now() < quietFrom) timer = setTimeout(() => child.kill("SIGKILL"), random.between(0, 900));
        });
        const { code, signal, said } = await ended;
        clearTimeout(timer);
        if (signal === "SIGKILL") kills += 1;
        else if (code === 0) isOver = true;
        else {
          wrong.push(`a server ended with ${code ?? signal}: ${said.slice(-300)}`);
          return;
        }
      }
    }),
  );

  const at = { cwd: place, home, log: join(place, "log") };
  await segno(["trust", "--yes"], at);
  const { result } = await segno(["triggers", "history", "--limit", "100000"], at);
  const firings = result?.firings ?? [];
  const open = firings.filter(({ status }) => status === "fired");
  if (open.length > 0) wrong.push(`${open.length} firings have not ended`);
  const moments = firings.filter(({ trigger }) => trigger === "minutely").map(({ cause }) => cause.scheduled_at);
  if (new Set(moments).size !== moments.length) wrong.push("a moment was fired twice");
  const sorted = [...moments].sort();
  for (let index = 1; index < sorted.length; index++)
    if (Date.parse(sorted[index]) - Date.parse(sorted[index - 1]) !== 60_000)
      wrong.push(`a moment after ${sorted[index - 1]} is missing`);
  const made = new Set(firings.flatMap(({ run_id }) => run_id ?? []));
  const runs = runsIn(home);
  for (const run of runs) if (!made.has(run)) wrong.push(`the run ${run} is of no firing`);
  for (const run of made) if (!runs.includes(run)) wrong.push(`the firing ${run} made no run`);
  for (const [number, runId] of delivered)
    if (!made.has(runId)) wrong.push(`delivery ${number} was answered with ${runId}, and there is no such firing`);
  const bad = firings.filter(({ status, reason }) => status !== "ended" || reason !== "completed");
  if (bad.length > 0) wrong.push(`${bad.length} firings did not complete: ${JSON.stringify(bad.slice(0, 3))}`);
  console.log(
    `triggers: ${kills} kills of two servers, ${moments.length} moments, ${delivered.size} deliveries, ${runs.length} runs, ${wrong.length} wrong (seed ${seed})`,
  );
  return { wrong };
}
