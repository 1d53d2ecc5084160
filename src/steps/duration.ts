// Lengths of time as people write them in a step: a number of seconds, `500ms`, `5s`, `2m`, `1h`, `1d`.
import { BadValue } from "./executor.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };
const FORMAT = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h|d)?\s*$/;

export interface DurationBounds {
  readonly mostSeconds: number;
  /** The same bound, as the message says it: `24h`. */
  readonly most: string;
}

/** Seconds, above 0 and within bounds; a `BadValue` that names the field otherwise. */
export function durationOf(field: string, value: unknown, { mostSeconds, most }: DurationBounds): number {
  const seconds = secondsOf(value);
  if (seconds === undefined)
    throw new BadValue(field, value, "a duration is a number of seconds, or 500ms, 5s, 2m, 1h");
  if (seconds <= 0) throw new BadValue(field, value, "a duration is more than 0");
  if (seconds > mostSeconds) throw new BadValue(field, value, `a duration is at most ${most}`);
  return seconds;
}

function secondsOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  const negative = /^\s*-/.test(value);
  const [, amount, unit = "s"] = FORMAT.exec(negative ? value.replace("-", "") : value) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * (UNITS[unit] ?? 1) * (negative ? -1 : 1);
}
