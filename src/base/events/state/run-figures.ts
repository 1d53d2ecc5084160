// What is kept of a run that has ended, for figures over many runs: a row of a store, read without the run's journal.
// 100 000 of these are read for one answer, so they are small.
import { activeMs } from "./read.ts";
import type { RunState } from "./state.ts";

export type RunEnd = "completed" | "degraded" | "failed" | "cancelled";

export interface RunFigures {
  readonly end: RunEnd;
  readonly ms: number;
  /** Null: the price of a model is not known. */
  readonly usd: number | null;
  /** How often the run was resumed; absent: never. */
  readonly resumed?: number;
  readonly steps: readonly StepRow[];
  /** Cost by model, where a model was asked. */
  readonly models?: Readonly<Record<string, number>>;
}

/** `kinds`: of the errors that the step raised; absent: none. */
export type StepRow = readonly [step: string, ms: number, usd: number | null, kinds?: readonly string[]];

/** Undefined while the run goes on or waits. */
export function runFigures(state: RunState): RunFigures | undefined {
  const end = runEnd(state.status, state.termination?.status === "success");
  if (end === undefined) return undefined;
  const { usage, usageByModel, stepFigures, drives } = state;
  const models = [...usageByModel].flatMap(([model, used]) =>
    used.unpriced.size > 0 ? [] : [[model, dollars(used.costUsd)] as const],
  );
  return {
    end,
    ms: Math.round(activeMs(state) ?? 0),
    usd: usage.unpriced.size > 0 ? null : dollars(usage.costUsd),
    ...(drives > 1 ? { resumed: drives - 1 } : {}),
    steps: [...stepFigures].map(([step, { ms, costUsd, kinds }]): StepRow => {
      const row = [step, Math.round(ms), costUsd === null ? null : dollars(costUsd)] as const;
      return kinds.size > 0 ? [...row, [...kinds]] : row;
    }),
    ...(models.length > 0 ? { models: Object.fromEntries(models) } : {}),
  };
}

/** A workflow that ended itself did so well or badly. */
export function runEnd(status: string, endedItselfWell: boolean): RunEnd | undefined {
  switch (status) {
    case "completed":
    case "degraded":
    case "failed":
    case "cancelled":
      return status;
    case "terminated":
      return endedItselfWell ? "completed" : "failed";
    default:
      return undefined;
  }
}

/** To a millionth. */
const dollars = (amount: number): number => Math.round(amount * 1e6) / 1e6;
