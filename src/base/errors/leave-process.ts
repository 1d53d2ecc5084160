// What ends more than one step: the process, in one way (if a plugin or a package ends it, the command has not come to its
// end, and that is no success), a fault that was not awaited, and what keeps a whole drive from going on.
let isLeaving = false;

export function leaveProcess(code: number): never {
  isLeaving = true;
  return process.exit(code);
}

export const isLeavingProcess = (): boolean => isLeaving;

export interface StrayFault {
  /** What a person should know; nothing when it was said before. */
  readonly sentence?: string;
}

type Judge = (problem: unknown) => StrayFault | undefined;

let judge: Judge | undefined;

export function judgeStraysBy(given: Judge): void {
  judge = given;
}

/** A plugin's, or nothing when it is Segno's own. Asked while it happens: later its async context is gone. */
export const strayFaultOf = (problem: unknown): StrayFault | undefined => judge?.(problem);

// Node ends a process in which nothing is left to do, with exit code 0 and no message, also while a command waits
// for a promise that nothing can settle any more. Code that waits for a plugin registers here how to fail then.

const waiting = new Set<() => void>();

/** Gives what is to be called when the wait is over. */
export function whenNothingIsLeft(fail: () => void): () => void {
  waiting.add(fail);
  return () => void waiting.delete(fail);
}

/** Fails all registered waits. True if there was one: its caller goes on now. */
export function failedWhatNeverComes(): boolean {
  const failing = [...waiting];
  waiting.clear();
  for (const fail of failing) fail();
  return failing.length > 0;
}

export abstract class DriveStopped extends Error {}
