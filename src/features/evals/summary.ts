// Sums up the rows of an eval: shares with their intervals, how often at least one or all of the repeats passed, and
// the rows on which variants differ. Rows that were not measured are not counted.
import type { ResultStatus } from "../../base/results/result.ts";
import type { Grade } from "./graders/grade.ts";

export interface EvalRow {
  readonly id: string;
  readonly variant: string;
  readonly repeat: number;
  /** Null: not measured. */
  readonly passed: boolean | null;
  readonly grades: readonly Grade[];
  readonly run_id: string;
  /** How its run ended. */
  readonly status: ResultStatus | "not_run";
  /** Of a run that failed. */
  readonly kind: string | null;
  readonly cost_usd: number | null;
  readonly duration_ms: number | null;
  readonly tokens: number | null;
  readonly tags: readonly string[];
  /** Kinds of all errors of the run. */
  readonly errors: readonly string[];
  readonly why: string | null;
  /** What judges cost. */
  readonly grading_usd: number;
}

/** How many passed, of those that were measured, and their share. */
export interface Rate {
  readonly measured: number;
  readonly passed: number;
  /** Null: nothing was measured. */
  readonly rate: number | null;
  /** The 95 % interval. */
  readonly low: number | null;
  readonly high: number | null;
}

export interface VariantSummary extends Rate {
  readonly variant: string;
  readonly not_measured: number;
  /** Where rows were repeated: at least one of k passes, all of k pass. */
  readonly k?: number;
  readonly pass_at_k?: number | null;
  readonly pass_all_k?: number | null;
  readonly cost_usd: number;
  readonly tokens: number;
  readonly duration_ms: { readonly median: number; readonly p95: number } | null;
  readonly errors: Readonly<Record<string, number>>;
  readonly tags: readonly (Rate & { readonly tag: string })[];
}

/** A row on which variants do not agree: the share that passed in each, null where it was not measured. */
export interface Difference {
  readonly id: string;
  readonly passed: Readonly<Record<string, number | null>>;
}

export function summaryOf(
  variants: readonly string[],
  rows: readonly EvalRow[],
  repeat: number,
): readonly VariantSummary[] {
  return variants.map((variant) => {
    const own = rows.filter((row) => row.variant === variant);
    const durations = own.flatMap(({ duration_ms }) => duration_ms ?? []);
    const errors: Record<string, number> = {};
    for (const kind of own.flatMap((row) => row.errors)) errors[kind] = (errors[kind] ?? 0) + 1;
    const tags = [...new Set(own.flatMap((row) => row.tags))].sort();
    return {
      variant,
      ...rateOf(own),
      not_measured: own.filter(({ passed }) => passed === null).length,
      ...(repeat > 1 ? { k: repeat, ...passesOf(own, repeat) } : {}),
      cost_usd: round(own.reduce((sum, row) => sum + (row.cost_usd ?? 0) + row.grading_usd, 0)),
      tokens: own.reduce((sum, row) => sum + (row.tokens ?? 0), 0),
      duration_ms: durations.length === 0 ? null : spreadOf(durations),
      errors,
      tags: tags.map((tag) => ({ tag, ...rateOf(own.filter((row) => row.tags.includes(tag))) })),
    };
  });
}

/** The shares that passed, by row: repeats of one row say the same thing again, so the interval counts rows. */
export function sharesByRow(rows: readonly EvalRow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, { measured: number; passed: number }>();
  for (const { id, passed } of rows) {
    if (passed === null) continue;
    const count = counts.get(id) ?? { measured: 0, passed: 0 };
    counts.set(id, { measured: count.measured + 1, passed: count.passed + Number(passed) });
  }
  return new Map([...counts].map(([id, { measured, passed }]) => [id, passed / measured]));
}

function rateOf(rows: readonly EvalRow[]): Rate {
  const measured = rows.filter(({ passed }) => passed !== null);
  const passed = measured.filter((row) => row.passed).length;
  const shares = [...sharesByRow(rows).values()];
  if (shares.length === 0) return { measured: 0, passed: 0, rate: null, low: null, high: null };
  const rate = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const [low, high] = wilson(rate, shares.length);
  return { measured: measured.length, passed, rate: round(rate), low: round(low), high: round(high) };
}

/** 97.5 % of a normal distribution is below. */
const Z = 1.959964;

/** Wilson's interval: it stays between 0 and 1, and says something of a few rows too. */
export function wilson(rate: number, count: number): readonly [number, number] {
  const square = Z * Z;
  const middle = rate + square / (2 * count);
  const width = Z * Math.sqrt((rate * (1 - rate)) / count + square / (4 * count * count));
  const whole = 1 + square / count;
  return [Math.max(0, (middle - width) / whole), Math.min(1, (middle + width) / whole)];
}

/** Of the rows that were measured k times. */
function passesOf(
  rows: readonly EvalRow[],
  k: number,
): { readonly pass_at_k: number | null; readonly pass_all_k: number | null } {
  const byRow = new Map<string, (boolean | null)[]>();
  for (const { id, passed } of rows) byRow.set(id, [...(byRow.get(id) ?? []), passed]);
  const whole = [...byRow.values()].filter((all) => all.filter((passed) => passed !== null).length >= k);
  if (whole.length === 0) return { pass_at_k: null, pass_all_k: null };
  const share = (test: (all: readonly (boolean | null)[]) => boolean): number =>
    round(whole.filter(test).length / whole.length);
  return {
    pass_at_k: share((all) => all.some((passed) => passed === true)),
    pass_all_k: share((all) => all.every((passed) => passed !== false)),
  };
}

/** Of no values both are 0. */
export function spreadOf(values: readonly number[]): { readonly median: number; readonly p95: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
}

export function differencesBetween(variants: readonly string[], rows: readonly EvalRow[]): readonly Difference[] {
  const shares = new Map(variants.map((name) => [name, sharesByRow(rows.filter((row) => row.variant === name))]));
  const ids = [...new Set(rows.map(({ id }) => id))];
  return ids.flatMap((id) => {
    const passed = Object.fromEntries(variants.map((name) => [name, shares.get(name)?.get(id) ?? null]));
    const known = Object.values(passed).filter((share) => share !== null);
    return new Set(known).size > 1 ? [{ id, passed }] : [];
  });
}

/** To a hundredth of a cent, or of a percent. */
const round = (value: number): number => Math.round(value * 1e6) / 1e6;
