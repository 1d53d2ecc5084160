// What a reporter tells of: checks, each with what was found. A validated file, a step's errors, a scenario are checks.
import type { Place } from "../../../results/result.ts";

export interface ReportedFinding {
  readonly level: "error" | "warning";
  /** The rule, or the word that groups notes of this sort. */
  readonly rule: string;
  readonly message: string;
  readonly place?: Place;
}

export interface ReportedCheck {
  /** What it belongs to: the workflow's file. */
  readonly suite: string;
  readonly name: string;
  readonly notes: readonly ReportedFinding[];
  /** Why it was not made. */
  readonly skipped?: string;
  readonly duration_ms?: number;
}

/** Warnings are reported and fail nothing; `--strict` has made errors of them before they come here. */
export const failuresOf = ({ notes }: ReportedCheck): readonly ReportedFinding[] =>
  notes.filter(({ level }) => level === "error");

/** A sentence with its place, for formats that have no field for it. */
export const placed = ({ message, place }: ReportedFinding): string =>
  place ? `${place.file}:${place.line}:${place.column}: ${message}` : message;
