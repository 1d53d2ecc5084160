// `npm run bench`: what Segno costs, as ratios against a floor measured in the same run.
//
//   npm run bench                   a table, each row as soon as it is measured
//   npm run bench -- --json         {results: [{name, ratio, target, met, …}]} at the end; the table goes to stderr
//   npm run bench -- echo loop      only the rows whose name has one of these words
//   SEGNO_BENCH_ON=postgres://… npm run bench -- postgres     those of a fleet
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { buildRows } from "./build-rows.mjs";
import { libraryRows } from "./library.mjs";
import { startupRows } from "./startup.mjs";

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const asJson = process.argv.includes("--json");
const wanted = (name) => words.length === 0 || words.some((word) => name.includes(word));
// It adds 75 ms to every node and hides everything else.
delete process.env.NODE_EXTRA_CA_CERTS;

const machine = {
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memory_gb: Math.round(totalmem() / 2 ** 30),
};
// A measurement of an hour that is cut off has shown what it measured until then.
const say = asJson ? console.error : console.log;
say(`${machine.node}, ${machine.cores} × ${machine.cpu}, ${machine.memory_gb} GB\n`);

/** As wide as the longest names of rows are. */
const WIDTH = 72;
const round = (number) => Number(number.toPrecision(3));
const folder = mkdtempSync(join(tmpdir(), "segno-bench-"));
const results = [];
const failures = [];
try {
  for (const row of [...startupRows(folder), ...libraryRows(folder)]) if (wanted(row.name)) found(row, row.measure());
  for (const rows of [await buildRows(folder), await buildRows(folder, "scale-rows"), ...(await fleetRows())])
    for (const name of rows.names.filter(wanted)) {
      // Each in a process of its own: memory and compiled code of one must not help or hurt another.
      const out = spawnSync(process.execPath, ["--expose-gc", rows.file, name, folder], {
        encoding: "utf8",
        maxBuffer: 1 << 26,
      });
      if (out.status !== 0) {
        // What the other rows took minutes to measure is not thrown away for one of them.
        failures.push(`${name} failed: ${out.stderr || out.stdout}`);
        say(`! ${name} failed`);
        continue;
      }
      const row = JSON.parse(out.stdout.trim().split("\n").at(-1));
      found(row, row);
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Only where there is a Postgres for them. */
async function fleetRows() {
  return process.env.SEGNO_BENCH_ON
    ? Promise.all(["postgres-rows", "fleet-rows", "prune-rows", "trigger-rows"].map((rows) => buildRows(folder, rows)))
    : [];
}

function found({ name, target, direction, note }, { ratio: measured, subject, floor }) {
  const ratio = measured === null ? null : round(measured);
  const met = ratio === null ? null : direction === "at most" ? measured <= target : measured >= target;
  results.push({ name, ratio, direction, target, met, subject, floor, ...(note ? { note } : {}) });
  const shown = String(ratio ?? "–").padStart(9);
  say(
    `${met === null ? "–" : met ? "✓" : "✗"} ${name.padEnd(WIDTH)}  ${shown}  ${direction} ${target}   ${subject} / ${floor}`,
  );
}

if (asJson) console.log(JSON.stringify({ machine, results }, null, 2));
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 && results.every(({ met }) => met !== false) ? 0 : 1;
