// `npm run simulate`: how a fleet behaves that is larger than the machine at hand, by a model (model.mjs) and what was measured
// (figures.json, from which costs.mjs reckons what each part of a run takes).
//
//   npm run simulate                            the table of docs/scaling.md: 10² to 10⁵ runs a second
//   npm run simulate -- --rate 500 --steps 20   one question: workers, cells, waits, what is used up first, disk
//   npm run simulate -- --check                 the model against what was measured; exits with 1 beyond 20 %
//   SEGNO_BENCH_ON=postgres://… npm run simulate -- --measure    measures figures.json anew, on a quiet machine
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildRows } from "../bench/build-rows.mjs";
import { costsOf, measuredLatencies, measuredLoads } from "./costs.mjs";
import { simulate } from "./model.mjs";

/** A cell: one Postgres with so many cores, of which at most this part is used. */
const SERVER = { cores: 16, used: 0.7 };
const WORKER_USED = 0.6;
/** Not measured: a disk that is reached over a network, and machines of one zone. */
const ELSEWHERE = { flushMs: 1, networkMs: 0.5 };
/** Runs a second that one process places. */
const PLACED_BY_ONE = 50;
const DAY = 86_400;

const FIGURES = new URL("figures.json", import.meta.url);
const args = process.argv.slice(2);
const number = (name, otherwise) => {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? otherwise : Number(args[at + 1]);
};

if (args.includes("--measure")) await measure();
const figures = JSON.parse(readFileSync(FIGURES, "utf8"));
const costs = costsOf(figures);
if (args.includes("--check")) check();
else if (args.includes("--rate")) print([answer(number("rate", 100), number("steps", 10))]);
else if (!args.includes("--measure"))
  print([100, 1000, 10_000, 100_000].flatMap((rate) => [answer(rate, 1), answer(rate, 10)]));

async function measure() {
  if (!process.env.SEGNO_BENCH_ON) throw new Error("Name a Postgres: SEGNO_BENCH_ON=postgres://…");
  const folder = mkdtempSync(join(tmpdir(), "segno-simulate-"));
  const { file } = await buildRows(folder, "simulate-figures");
  const stdio = ["ignore", "ignore", "inherit"];
  const { status } = spawnSync(process.execPath, [file, "", folder, fileURLToPath(FIGURES)], { stdio });
  rmSync(folder, { recursive: true, force: true });
  if (status !== 0) throw new Error("it could not be measured");
}

function check() {
  // All workers of the measured fleet hear of every run, also those that stand still.
  const here = { costs, sharedCores: costs.cores, listeners: 4 };
  const rows = [
    ...measuredLoads(figures).map(({ workers, steps, perSecond }) => ({
      what: `${workers} workers, ${steps} steps: runs a second`,
      was: perSecond,
      model: simulate({ ...here, workers, steps, backlog: steps === 1 ? 400 : 200 }).perSecond,
    })),
    ...measuredLatencies(figures).map(({ workers, rate, p50 }) => ({
      what: `${workers} workers, ${rate} runs a second: p50 to the first step, ms`,
      was: p50,
      model: simulate({ ...here, workers, steps: 1, rate, arrivals: "even", seconds: 10 }).p50,
    })),
  ];
  for (const { what, was, model } of rows) {
    const off = (model / was - 1) * 100;
    console.log(
      `${Math.abs(off) <= 20 ? "✓" : "✗"} ${what.padEnd(58)} measured ${was.toPrecision(3).padStart(6)}  model ${model.toPrecision(3).padStart(6)}  ${off.toFixed(0).padStart(4)} %`,
    );
    if (Math.abs(off) > 20) process.exitCode = 1;
  }
}

function answer(rate, steps) {
  const { worker: w, server: d, idle, bytes } = costs;
  const workerMs = w.run_ms + steps * w.step_ms + w.look_ms;
  const serverMs = d.place_ms + d.run_ms + steps * d.step_ms + d.look_ms;
  let cells = Math.ceil((rate * serverMs) / 1000 / (SERVER.cores * SERVER.used));
  for (;;) {
    const perCell = rate / cells;
    const workers = Math.max(1, Math.ceil((perCell * workerMs) / 1000 / WORKER_USED));
    const cell = {
      costs,
      workers,
      steps,
      cores: SERVER.cores,
      placers: Math.ceil(perCell / PLACED_BY_ONE),
      ...ELSEWHERE,
    };
    const seconds = perCell > 500 ? 6 : 20;
    const usual = simulate({ ...cell, rate: perCell, seconds });
    const used = (usual.serverCores + (workers * idle.server_ms) / 1000) / SERVER.cores;
    // Every worker hears of every run, so more of them ask the server for more.
    if (used > SERVER.used + 0.02) {
      cells = Math.max(cells + 1, Math.floor((cells * used) / SERVER.used));
      continue;
    }
    // Long enough for the backlog of a restart of five seconds to go.
    const restarted = simulate({ ...cell, rate: perCell, seconds: 15, restart: { at: 2, seconds: 5 } });
    const without = cells > 1 ? simulate({ ...cell, rate: rate / (cells - 1), seconds }).p99 : undefined;
    const parts = Object.entries({ Postgres: used, workers: usual.workerCores / workers }).sort(
      ([, a], [, b]) => b - a,
    );
    return {
      rate,
      steps,
      cells,
      workers: workers * cells,
      p50: usual.p50,
      p99: usual.p99,
      without,
      serverCores: used * SERVER.cores * cells,
      restarted: restarted.longest / 1000,
      commits: usual.commits,
      first: `${parts[0][0]} (${Math.round(parts[0][1] * 100)} %)`,
      gigabytes: ((bytes.run + steps * bytes.step) * rate * DAY) / 1e9,
    };
  }
}

function print(rows) {
  const ms = (number) => `${number.toFixed(0)} ms`;
  const columns = {
    "runs a second": ({ rate }) => rate,
    steps: ({ steps }) => steps,
    cells: ({ cells }) => cells,
    "cores of Postgres in use": ({ serverCores }) => serverCores.toFixed(serverCores < 10 ? 1 : 0),
    workers: ({ workers }) => workers,
    "first step, p50": ({ p50 }) => ms(p50),
    p99: ({ p99 }) => ms(p99),
    "p99 with one cell lost": ({ without }) => (without === undefined ? "–" : ms(without)),
    "longest wait when a database is away for 5 s": ({ restarted }) => `${restarted.toFixed(1)} s`,
    "commits a second and cell": ({ commits }) => commits.toFixed(0),
    "used most": ({ first }) => first,
    "disk a day": ({ gigabytes }) =>
      gigabytes < 1000 ? `${gigabytes.toFixed(0)} GB` : `${(gigabytes / 1000).toFixed(1)} TB`,
  };
  console.log(`| ${Object.keys(columns).join(" | ")} |`);
  console.log(`|${"---|".repeat(Object.keys(columns).length)}`);
  for (const row of rows)
    console.log(
      `| ${Object.values(columns)
        .map((shown) => shown(row))
        .join(" | ")} |`,
    );
}
