// Where the program asks whose it is when something failed that nobody waited for. Only a process that has loaded plugins
// can have got it from one: until then there is nothing to load here, and the answer is no.

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

// Node ends a process in which nothing is left to do, with exit code 0 and without a word, also while a command still waits:
// for a promise that nothing can settle any more. Whoever waits for code that is not Segno's says here how to fail then.

const waiting = new Set<() => void>();

/** Gives what is to be called when the wait is over. */
export function whenNothingIsLeft(fail: () => void): () => void {
  waiting.add(fail);
  return () => void waiting.delete(fail);
}

/** Whether somebody waited, and goes on now that the wait has failed. */
export function failedWhatNeverComes(): boolean {
  const failing = [...waiting];
  waiting.clear();
  for (const fail of failing) fail();
  return failing.length > 0;
}
