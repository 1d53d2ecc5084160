// What `npm run simulate` reckons with, as JSON: what a fleet costs on this machine, and how it behaves under load. Not
// rows of the bench: nothing is compared with a target here.
import { cpus } from "node:os";
import { drained, type Latency, type Load, latencyAt, roundTrips } from "./fleet-load.ts";

const [, folder = ""] = process.argv.slice(2);

const RUNS = { 1: 1500, 10: 700 } as const;
const round = (ms: number): number => Number(ms.toPrecision(3));

const loads: Load[] = [];
for (const steps of [1, 10] as const)
  for (const workers of [1, 2, 4]) loads.push(await drained(folder, workers, steps, RUNS[steps]));
const latencies: Latency[] = [];
for (const rate of [10, 30, 100]) latencies.push(await latencyAt(folder, 1, rate));
const { commit, notice } = await roundTrips();

/** What a step takes, and what a run takes beside its steps: from runs of one step and of ten. */
const parts = (what: (load: Load) => number) => {
  const mean = (steps: number): number => {
    const found = loads.filter((load) => load.steps === steps).map(what);
    return found.reduce((all, one) => all + one, 0) / found.length;
  };
  const step = (mean(10) - mean(1)) / 9;
  return { step: round(step), run: round(mean(1) - step) };
};
const [worker, server, bytes] = [
  parts(({ workerMs }) => workerMs),
  parts(({ serverMs }) => serverMs),
  parts(({ bytes: all }) => all),
];
// Placed one by one, while a worker is there.
const placing = latencies[1];

console.log(
  JSON.stringify(
    {
      machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}`,
      cores: cpus().length,
      worker: { run_ms: worker.run, step_ms: worker.step },
      server: {
        run_ms: server.run,
        step_ms: server.step,
        place_ms: round(Math.max(0.1, (placing?.serverMs ?? 0) - server.run - server.step)),
      },
      client: { place_ms: round(placing?.clientMs ?? 0) },
      bytes: { run: bytes.run, step: bytes.step },
      commit_ms: round(commit),
      notice_ms: round(notice),
      // Assumed, not measured: of what a run takes beside its steps, how much of the server's part is taking it, and how much of
      // the worker's comes before its first step.
      shares: { taking: 0.5, beginning: 0.6 },
      measured: {
        loads: loads.map(({ workers, steps, perSecond }) => ({ workers, steps, per_second: round(perSecond) })),
        latencies: latencies.map(({ rate, p50, p99 }) => ({ workers: 1, rate, p50: round(p50), p99: round(p99) })),
      },
    },
    null,
    2,
  ),
);
process.exit(0);
