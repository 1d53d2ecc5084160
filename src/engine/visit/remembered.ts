// What a visit makes of what earlier drives recorded of it: how often it ran, whether that is still about the same step,
// and whether an error of it waits for its routes to be read.
import type { LastOutcome, Recorded } from "../../events/recall.ts";
import type { RaisedEnd } from "../ends.ts";
import type { Prepared, Visit } from "./prepare.ts";
import type { Work } from "./work.ts";

/** Entering a container that had ended is no new attempt at it. */
const isEnteredAgain = (work: Work, memory: Recorded): boolean => work.isContainer && memory.last?.ok === true;

/**
 * An attempt that a crash cut off counts: the one that runs again says so by its number. `earlier` are the attempts of
 * visits before this one, in earlier rounds of a group; numbers go on from them, so the number of a start has them in it.
 */
export function attemptsBefore(work: Work, memory: Recorded | undefined, earlier: number): number {
  if (!memory) return earlier;
  if (isEnteredAgain(work, memory)) return earlier + Math.max(0, memory.attempts - 1);
  return Math.max(earlier + memory.attempts, memory.started);
}

/**
 * What earlier drives executed on this visit, for the limits: before the attempt that is recorded, and that one. What
 * failed the run does not count any more: whoever resumes it begins there anew.
 */
export function executionsBefore(
  work: Work,
  memory: Recorded | undefined,
): { readonly before: number; readonly last: number } {
  // Groups count by their members. What is entered again is counted then.
  if (!memory || !work.step || memory.attempts === 0) return { before: 0, last: 0 };
  return { before: memory.attempts - 1, last: isEnteredAgain(work, memory) ? 0 : 1 };
}

/** Whether what is recorded is about the step as it is now. A step that could not be prepared has no hash. */
export const isSame = (last: LastOutcome, prepared: Prepared): boolean =>
  prepared.ok
    ? last.hash === prepared.hash
    : last.hash === undefined &&
      last.definition === prepared.definition &&
      last.error?.message === prepared.error.message;

/** An error that was recorded when the drive was cut off, before its routes were: it is not made again, its routes are read. */
export function leftOpen(work: Work, at: Visit, memory: Recorded, prepared: Prepared): RaisedEnd | undefined {
  const { last, attempts } = memory;
  if (!last?.error || last.routed === "again" || attempts === 0) return undefined;
  if (work.isContainer && !(prepared.ok && work.unchanged?.(prepared.values, at))) return undefined;
  work.roundEnded?.();
  const { error, output, unopted } = last;
  return { type: "raised", error, output, leftOpen: true, ...(unopted ? { unopted } : {}) };
}
