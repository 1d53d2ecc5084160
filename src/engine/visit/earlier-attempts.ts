// How often earlier drives ran a visit already: its numbers and limits go on from there.
import { goesOnAfterPause } from "../../events/node-types.ts";
import type { Recorded } from "../../events/recall.ts";
import type { Visit } from "../frame.ts";
import type { Work } from "./work.ts";

/** Entering a container that had ended is no new attempt at it. */
const isEnteredAgain = (work: Work, recorded: Recorded): boolean => work.isContainer && recorded.last?.ok === true;

/**
 * An attempt that a crash cut off counts: the one that runs again says so by its number. A gate that is asked again, and
 * what it stands in, only go on. The attempts of visits before this one, in earlier rounds of a group, count too; numbers
 * go on from them, so the number of a start has them in it.
 */
export function attemptsSoFar({ work, attemptsBefore }: Visit, recorded: Recorded | undefined): number {
  if (!recorded) return attemptsBefore;
  if (isEnteredAgain(work, recorded)) return attemptsBefore + Math.max(0, recorded.attempts - 1);
  const ended = attemptsBefore + recorded.attempts;
  return goesOnAfterPause(work.type) ? ended : Math.max(ended, recorded.started);
}

/**
 * What earlier drives executed on this visit, for the limits: before the attempt that is recorded, and that one. What
 * failed the run does not count any more: whoever resumes it begins there anew.
 */
export function executionsBefore(
  work: Work,
  recorded: Recorded | undefined,
): { readonly before: number; readonly last: number } {
  // What is entered again is counted then.
  if (!recorded || recorded.attempts === 0) return { before: 0, last: 0 };
  return { before: recorded.attempts - 1, last: isEnteredAgain(work, recorded) ? 0 : 1 };
}
