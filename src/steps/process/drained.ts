// Waits until the output of an exited process has been read, but not for a background child that holds its pipe open.
import type { Readable } from "node:stream";

const QUIET_MS = 100;
const LONGEST_MS = 1000;

/**
 * Resolves when all pipes are closed, or have been silent for a moment. Pipes that are still open then are read on and
 * thrown away without keeping the program alive: closing them would kill the background child at its next write.
 */
export function drained(pipes: readonly Readable[]): Promise<void> {
  const open = pipes.filter((pipe) => !pipe.closed);
  if (open.length === 0) return Promise.resolve();
  // Plain callbacks: this runs once for every script, and promises with signals cost more than the rest of it.
  return new Promise((resolve) => {
    const until = performance.now() + LONGEST_MS;
    let heard = false;
    const hear = (): void => {
      heard = true;
    };
    const close = (): void => {
      if (open.every((pipe) => pipe.closed)) settle();
    };
    const settle = (): void => {
      clearTimeout(timer);
      for (const pipe of open) {
        pipe.removeListener("data", hear);
        pipe.removeListener("close", close);
        if (!pipe.closed) letGo(pipe);
      }
      resolve();
    };
    const look = (): void => {
      if (heard && performance.now() < until) timer.refresh();
      else settle();
      heard = false;
    };
    // A busy program may come here late, with data waiting: it gets a turn to be read before silence is believed.
    const timer = setTimeout(() => setImmediate(look), QUIET_MS);
    for (const pipe of open) pipe.on("data", hear).on("close", close);
  });
}

function letGo(pipe: Readable): void {
  pipe.removeAllListeners("data");
  pipe.resume();
  (pipe as Readable & { unref?: () => void }).unref?.();
}
