// `npm run simulate`: how a fleet behaves that is larger than the machine at hand, by a model (model.mjs) and what was measured
// (figures.json).
//
//   npm run simulate                            the table of docs/scaling.md: 10² to 10⁵ runs a second
//   npm run simulate -- --rate 500 --steps 20   one question: workers, cells, waits, what is used up first, disk
//   npm run simulate -- --check                 the model against what was measured; exits with 1 beyond 20 %
//   SEGNO_BENCH_ON=postgres://… npm run simulate -- --measure    measures figures.json anew, on a quiet machine
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildRows } from "../bench/build-rows.mjs";
import { simulate } from "./model.mjs";

/** A cell: one Postgres with so many cores, of which at most this part is used; a disk that flushes as the measured one. */
const SERVER = { cores: 16, used: 0.7 };
const WORKER_USED = 0.6;
const DAY = 86_400;

const FIGURES = new URL("figures.json", import.meta.url);
const args = process.argv.slice(2);
const number = (name, otherwise) => {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? otherwise : Number(args[at + 1]);
};

if (args.includes("--measure")) await measure();
const figures = JSON.parse(readFileSync(FIGURES, "utf8"));
if (args.includes("--check")) check();
else if (args.includes("--rate")) print([answer(number("rate", 100), number("steps", 10))]);
else if (!args.includes("--measure"))
  print([100, 1000, 10_000, 100_000].flatMap((rate) => [answer(rate, 1), answer(rate, 10)]));

async function measure() {
  if (!process.env.SEGNO_BENCH_ON) throw new Error("Name a Postgres: SEGNO_BENCH_ON=postgres://…");
  const folder = mkdtempSync(join(tmpdir(), "segno-simulate-"));
  const { file } = await buildRows(folder, "simulate-figures");
  const out = spawnSync(process.execPath, [file, "", folder], { encoding: "utf8", maxBuffer: 1 << 24 });
  rmSync(folder, { recursive: true, force: true });
  if (out.status !== 0) throw new Error(out.stderr || out.stdout);
  writeFileSync(FIGURES, out.stdout);
}

function check() {
  const { cores, measured } = figures;
  const here = { figures, sharedCores: cores };
  const rows = [
    ...measured.loads.map(({ workers, steps, per_second }) => ({
      what: `${workers} workers, ${steps} steps: runs a second`,
      was: per_second,
      model: simulate({ ...here, workers, steps, backlog: 2000 }).perSecond,
    })),
    ...measured.latencies.map(({ workers, rate, p50 }) => ({
      what: `${rate} runs a second: p50 from enqueue to first step, ms`,
      was: p50,
      model: simulate({ ...here, workers, steps: 1, rate }).p50,
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
  const { worker, server, bytes } = figures;
  const serverMs = server.place_ms + server.run_ms + steps * server.step_ms;
  const workerMs = worker.run_ms + steps * worker.step_ms;
  const cells = Math.ceil((rate * serverMs) / 1000 / (SERVER.cores * SERVER.used));
  const perCell = rate / cells;
  const workers = Math.max(1, Math.ceil((perCell * workerMs) / 1000 / WORKER_USED));
  const cell = { figures, workers, steps, rate: perCell, cores: SERVER.cores, seconds: perCell > 500 ? 6 : 20 };
  const usual = simulate(cell);
  // Half a minute is long enough for the backlog of a restart of five seconds to go.
  const restarted = simulate({ ...cell, seconds: 15, restart: { at: 2, seconds: 5 } });
  const parts = {
    server: usual.serverCores / SERVER.cores,
    workers: usual.workerCores / workers,
  };
  const first = Object.entries(parts).sort(([, a], [, b]) => b - a)[0];
  return {
    ...{ rate, steps, cells, workers: workers * cells, p50: usual.p50, p99: usual.p99 },
    ...{
      restarted: restarted.longest / 1000,
      commits: usual.commits,
      first: `${first[0]} (${Math.round(first[1] * 100)} %)`,
    },
    gigabytes: ((bytes.run + steps * bytes.step) * rate * DAY) / 1e9,
  };
}

function print(rows) {
  console.log(
    "| runs a second | steps | cells | workers | p50 | p99 | longest wait when a database is away for 5 s | commits a second and cell | used most | disk a day |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|---|");
  for (const row of rows)
    console.log(
      `| ${row.rate} | ${row.steps} | ${row.cells} | ${row.workers} | ${row.p50.toFixed(0)} ms | ${row.p99.toFixed(0)} ms | ${row.restarted.toFixed(1)} s | ${row.commits.toFixed(0)} | ${row.first} | ${row.gigabytes < 1000 ? `${row.gigabytes.toFixed(0)} GB` : `${(row.gigabytes / 1000).toFixed(1)} TB`} |`,
    );
}
