// Sums the figures of runs of one workflow: counts, and the values that percentiles are taken of.
import { keptIn } from "../../base/errors/mapping.ts";
import { type RunEnd, type RunFigures, runEnd } from "../../base/events/state/run-figures.ts";
import type { EndedRow } from "../../storage/run-index.ts";

/** Half of the values are at most `p50`, nine of ten at most `p90`. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
}

export interface StepStats {
  /** Below the steps and groups that it is in: `deploy/upload`. */
  readonly step: string;
  /** In how many runs it ran. */
  readonly runs: number;
  /** In how many of these it raised an error, whether or not a retry or a route helped. */
  readonly failed: number;
  /** All its attempts and items of a run together. */
  readonly seconds: Percentiles;
  /** Null: it asked no model whose price is known. */
  readonly cost_usd: Percentiles | null;
  /** In how many runs it raised each kind. */
  readonly kinds: Readonly<Record<string, number>>;
}

export interface WorkflowStats {
  readonly workflow: string;
  readonly file: string;
  /** Runs that ended. */
  readonly runs: number;
  readonly completed: number;
  readonly failed: number;
  /** Ended well, but lost items. */
  readonly degraded: number;
  readonly cancelled: number;
  /** Of all these, those that were resumed at least once. */
  readonly resumed: number;
  readonly seconds: Percentiles;
  /** Null: the cost of no run is known. */
  readonly cost_usd: Percentiles | null;
  /** In how many runs each kind of error was raised, whether or not it was handled. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly steps: readonly StepStats[];
}

interface StepSums {
  runs: number;
  failed: number;
  readonly ms: number[];
  readonly usd: number[];
  readonly kinds: Map<string, number>;
}

export interface WorkflowSums {
  readonly ends: Record<RunEnd, number>;
  resumed: number;
  /** Runs of Segno 0.3, of whose steps nothing is known. */
  withoutSteps: number;
  readonly ms: number[];
  readonly usd: number[];
  readonly kinds: Map<string, number>;
  readonly steps: Map<string, StepSums>;
}

export const newSums = (): WorkflowSums => ({
  ends: { completed: 0, degraded: 0, failed: 0, cancelled: 0 },
  resumed: 0,
  withoutSteps: 0,
  ms: [],
  usd: [],
  kinds: new Map(),
  steps: new Map(),
});

export function addRun(sums: WorkflowSums, run: RunFigures | EndedRow): void {
  if (isRow(run)) {
    addRow(sums, run);
    return;
  }
  const { end, ms, usd, resumed, steps } = run;
  sums.ends[end] += 1;
  sums.ms.push(ms);
  if (usd !== null) sums.usd.push(usd);
  if (resumed !== undefined) sums.resumed += 1;
  let ofRun: Set<string> | undefined;
  for (const [step, took, cost, kinds] of steps) {
    const own = keptIn(sums.steps, step, newStep);
    own.runs += 1;
    own.ms.push(took);
    if (cost !== null) own.usd.push(cost);
    if (kinds === undefined) continue;
    own.failed += 1;
    ofRun ??= new Set();
    for (const kind of kinds) {
      count(own.kinds, kind);
      ofRun.add(kind);
    }
  }
  for (const kind of ofRun ?? []) count(sums.kinds, kind);
}

const isRow = (run: RunFigures | EndedRow): run is EndedRow => Array.isArray(run);

function addRow(sums: WorkflowSums, [status, exitCode, ms, usd, kind]: EndedRow): void {
  sums.withoutSteps += 1;
  sums.ends[runEnd(status, exitCode === 0) ?? "failed"] += 1;
  if (ms !== null) sums.ms.push(ms);
  if (usd !== null) sums.usd.push(usd);
  if (kind !== null) count(sums.kinds, kind);
}

const newStep = (): StepSums => ({ runs: 0, failed: 0, ms: [], usd: [], kinds: new Map() });

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

export function summed(sums: WorkflowSums): Omit<WorkflowStats, "workflow" | "file"> {
  const { ends, resumed, ms, usd, kinds, steps } = sums;
  return {
    runs: ends.completed + ends.degraded + ends.failed + ends.cancelled,
    ...ends,
    resumed,
    seconds: secondsOf(ms),
    cost_usd: costsOf(usd),
    kinds: byCount(kinds),
    steps: [...steps].map(([step, own]) => ({
      step,
      runs: own.runs,
      failed: own.failed,
      seconds: secondsOf(own.ms),
      cost_usd: costsOf(own.usd),
      kinds: byCount(own.kinds),
    })),
  };
}

const secondsOf = (ms: readonly number[]): Percentiles => percentiles(ms, (value) => Math.round(value) / 1000);

const costsOf = (usd: readonly number[]): Percentiles | null =>
  usd.length === 0 ? null : percentiles(usd, (value) => Math.round(value * 1e6) / 1e6);

/** By nearest rank: each is a value that there was. Of no values both are 0. */
function percentiles(values: readonly number[], shown: (value: number) => number): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => shown(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
  return { p50: at(0.5), p90: at(0.9) };
}

const byCount = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
