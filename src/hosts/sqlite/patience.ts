// Waiting for others' locks. SQLite itself asks more and more seldom, ten times a second in the end, and never gets its turn
// beside a process that writes all the time; so its own wait is kept short, and the call is repeated.
import { isLocked } from "./failure.ts";

/** How long SQLite itself waits. */
export const SHORT_WAIT_MS = 50;

const pause = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};

/** Tries again while another connection has the lock; after `patienceMs` the error is thrown. */
export function patiently<Result>(patienceMs: number, work: () => Result): Result {
  let until: number | undefined;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error)) throw error;
      until ??= performance.now() + patienceMs;
      if (performance.now() >= until) throw error;
      pause(1 + Math.random() * 5);
    }
  }
}
