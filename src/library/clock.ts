// Time as a run is given it.
import type { HostClock } from "../hosts/clock.ts";

/** A clock; replace it in tests so that waits and retries take no time. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back after so many milliseconds, unless it is called off. Made from `sleep` when left out. */
  after?(ms: number, run: () => void): () => void;
}

export const hostClock = (clock: Clock): HostClock => ({
  now: () => clock.now(),
  sleep: (ms, signal) => clock.sleep(ms, signal),
  after(ms, run) {
    if (clock.after) return clock.after(ms, run);
    const off = new AbortController();
    void clock.sleep(ms, off.signal).then(() => {
      if (!off.signal.aborted) run();
    });
    return () => off.abort();
  },
});
