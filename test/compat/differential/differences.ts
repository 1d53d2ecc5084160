// Where two answers part. Numbers are compared as numbers, since 1 and 1.0 are one number in JSON.
import type { Answer } from "./cases.ts";

export interface Difference {
  /** `status`, `reason`, `output.title`, `prompts` … */
  readonly field: string;
  readonly segno: unknown;
  readonly conductor: unknown;
}

/** What follows from an earlier difference is not told: of two that ended differently, only that. */
export function differencesOf(segno: Answer, conductor: Answer): readonly Difference[] {
  const parted = (fields: readonly (keyof Answer)[]): Difference[] =>
    fields
      .filter((field) => field in conductor && !isSame(segno[field] ?? null, conductor[field] ?? null))
      .map((field) => ({ field, segno: segno[field], conductor: conductor[field] }));
  const ended = parted(["status"]);
  if (ended.length > 0) return ended;
  const ends = [...parted(["termination", "error_class", "reason"]), ...inOutput(segno, conductor)];
  if (ends.length > 0 || segno.status !== "completed") return ends;
  return [...parted(["trace"]), ...inPrompts(segno.prompts ?? [], conductor.prompts)];
}

function inOutput(segno: Answer, conductor: Answer): readonly Difference[] {
  if (!("output" in conductor)) return [];
  const [ours, theirs] = [segno.output, conductor.output];
  if (!isMapping(ours) || !isMapping(theirs))
    return isSame(ours, theirs) ? [] : [{ field: "output", segno: ours, conductor: theirs }];
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
    .filter((key) => !isSame(ours[key], theirs[key]))
    .map((key) => ({ field: `output.${key}`, segno: ours[key], conductor: theirs[key] }));
}

/** In what order members of a group ask is nobody's promise. */
function inPrompts(ours: readonly string[], theirs: readonly string[] | undefined): readonly Difference[] {
  if (!theirs) return [];
  const segno = ours.filter((prompt) => !theirs.includes(prompt));
  const conductor = theirs.filter((prompt) => !ours.includes(prompt));
  return segno.length + conductor.length === 0 ? [] : [{ field: "prompts", segno, conductor }];
}

export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === "number" && typeof other === "number")
    return Math.abs(one - other) <= 1e-12 * Math.max(Math.abs(one), Math.abs(other));
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isMapping(one) || !isMapping(other)) return one === other;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => key in other && isSame(one[key], other[key]));
}
