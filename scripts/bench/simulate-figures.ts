// What `npm run simulate` reckons with, as JSON: what a fleet costs on this machine, and how it behaves under load. Not
// rows of the bench: nothing is compared with a target here.
//
// Everything is measured in several rounds (SEGNO_BENCH_ROUNDS). Before and after each turn a fixed piece of work is timed: of
// all turns of a kind, the medians of those count in which the machine was quickest, since others may use it as well.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { drain, idle, latency, placeAlone } from "./fleet-load.ts";
import { roundTrips, startFleet } from "./loaded-fleet.ts";
import { median } from "./measured.ts";

const [, folder = "", written = ""] = process.argv.slice(2);

/** So many turns of each kind count. */
const COUNTED = 3;
const ROUNDS = Number(process.env.SEGNO_BENCH_ROUNDS ?? 5);
const MOST_WORKERS = 4;

const fleet = await startFleet(folder, MOST_WORKERS);
const work: Readonly<Record<string, () => Promise<object>>> = {
  trips: roundTrips,
  place: () => placeAlone(fleet, 100),
  idle: () => idle(fleet, 1),
  // Of all workers, only one looks; then none.
  look: () => idle(fleet, 1, 50),
  hear: () => idle(fleet, 0, 50),
  ...Object.fromEntries(
    [1, 10].flatMap((steps) =>
      [1, 2, 4].map((workers) => [
        `load ${workers} ${steps}`,
        () => drain(fleet, { workers, steps, runs: steps === 1 ? 400 : 200 }),
      ]),
    ),
  ),
  ...Object.fromEntries(
    [
      [1, 10],
      [1, 30],
      [1, 100],
      [2, 30],
    ].map(([workers = 1, rate = 10]) => [
      `latency ${workers} ${rate}`,
      () => latency(fleet, { workers, rate, seconds: rate === 10 ? 6 : 4 }),
    ]),
  ),
};

interface Turn {
  /** How quick the machine was: milliseconds of the fixed piece of work. */
  readonly pace: number;
  readonly found: Readonly<Record<string, unknown>>;
}

/** Each as soon as it was measured. */
const turns = new Map<string, Turn[]>(Object.keys(work).map((name) => [name, []]));
// What the first runs take is not what the others do.
for (let n = 0; n < 12; n++) await drain(fleet, { workers: MOST_WORKERS, steps: n % 2 ? 10 : 1, runs: 600 });
const pace = async (): Promise<number> => {
  const took: number[] = [];
  for (let n = 0; n < 5; n++) took.push(await fleet.yardstick());
  return median(took);
};
for (let round = 0; round < ROUNDS; round++)
  for (const [name, measure] of Object.entries(work)) {
    const before = await pace();
    const found = (await measure()) as Turn["found"];
    const turn = { pace: (before + (await pace())) / 2, found };
    turns.get(name)?.push(turn);
    console.error(`${name}: ${turn.pace.toFixed(0)} ${JSON.stringify(found)}`);
    // What was measured is not lost when it is cut off.
    if (written) writeFileSync(written, figures());
  }
console.log(figures());
process.exit(0);

function figures(): string {
  const quickest = [...turns].map(
    ([name, all]) => [name, [...all].sort((a, b) => a.pace - b.pace).slice(0, COUNTED)] as const,
  );
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}`;
  const found = Object.fromEntries(quickest.map(([name, some]) => [name, medians(some.map((turn) => turn.found))]));
  const paces = Object.fromEntries(
    quickest.map(([name, some]) => [name, some.map((turn) => Number(turn.pace.toPrecision(3)))]),
  );
  return `${JSON.stringify({ machine, cores: cpus().length, paces, ...found }, null, 2)}\n`;
}

function medians(all: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(all[0] ?? {}).map((name) => {
      const values = all.map((one) => one[name]);
      return [
        name,
        typeof values[0] === "number"
          ? Number(median(values as number[]).toPrecision(3))
          : medians(values as Record<string, unknown>[]),
      ];
    }),
  );
}
