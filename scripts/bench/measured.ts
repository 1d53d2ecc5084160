// What rows that run in one process have in common: how something is timed and compared, and the loop that many drive.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Row {
  readonly direction: "at most" | "at least";
  readonly target: number;
  /** Nothing where it could not be measured; `subject` says why. */
  readonly ratio: number | null;
  readonly subject: string;
  readonly floor: string;
}

type Work = () => Promise<unknown> | unknown;

export async function seconds(work: Work): Promise<number> {
  const began = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - began) / 1e9;
}

/** The best of several: noise only ever adds. */
export async function best(times: number, work: Work): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) least = Math.min(least, await seconds(work));
  return least;
}

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

interface Turns {
  readonly floor: number;
  readonly subject: number;
  /** How many times the floor the subject is. */
  readonly ratio: number;
}

/** Floor and subject take turns, and each turn has a ratio of its own: machines are faster and slower from second to second. */
export async function inTurns(
  turns: number,
  floor: () => Promise<number>,
  subject: () => Promise<number>,
): Promise<Turns> {
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    floors.push(await floor());
    subjects.push(await subject());
  }
  const ratio = median(subjects.map((took, turn) => took / (floors[turn] ?? took)));
  return { floor: median(floors), subject: median(subjects), ratio };
}

/** Seconds of so many steps, without how a run begins and ends: what a run of one step takes, in the same turn, is left out. */
export async function ofStepsAlone(steps: number, run: (steps: number) => Promise<number>): Promise<number> {
  const one = await run(1);
  return ((await run(steps)) - one) * (steps / (steps - 1));
}

export function fileIn(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A workflow of one `set` step that is visited so often. */
export const loopFile = (folder: string, steps: number): string =>
  fileIn(
    folder,
    `loop-${steps}.yaml`,
    `workflow: { name: loop, entry_point: a, limits: { max_iterations: 100000 } }
agents:
  - { name: a, type: set, value: "{{ context.iteration }}", routes: [{ to: $end, when: "{{ context.iteration >= ${steps} }}" }, { to: a }] }
`,
  );

/** Measures the one row that is wanted, and prints it as the last line. */
export async function printRow(rows: Readonly<Record<string, () => Promise<Row>>>, wanted: string): Promise<void> {
  const row = rows[wanted];
  if (!row) throw new Error(`there is no row ${wanted}`);
  console.log(JSON.stringify({ name: wanted, ...(await row()) }));
}

/** Milliseconds of processor, user and system. */
export async function processor(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
