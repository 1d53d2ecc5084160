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
