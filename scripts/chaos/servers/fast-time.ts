// Time for triggers under chaos: it runs many times as fast as the real one, the same for all who share `began`, and stands
// still at the end, so that what was fired can be finished.
import { type HostClock, realClock } from "../../../src/storage/clock.ts";

const EPOCH = Date.parse("2026-11-15T00:00:00Z");

export interface FastTime {
  readonly clock: HostClock;
  readonly isQuiet: () => boolean;
  /** Real milliseconds since the beginning, until time stands still. */
  readonly gone: () => number;
}

export interface Pace {
  /** Real times, in epoch milliseconds. */
  readonly began: number;
  readonly quietFrom: number;
  readonly speed: number;
  /** By how much naps are shortened. */
  readonly naps: number;
}

export function fastTime({ began, quietFrom, speed, naps }: Pace): FastTime {
  const gone = (): number => Math.min(Date.now(), quietFrom) - began;
  return {
    gone,
    isQuiet: () => Date.now() > quietFrom,
    clock: {
      ...realClock,
      now: () => EPOCH + gone() * speed,
      sleep: (ms, signal) => realClock.sleep(ms / naps, signal),
    },
  };
}
