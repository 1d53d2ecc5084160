// A moment of this process, by both of its clocks. The monotonic clock may stand still while a laptop or a virtual machine
// is suspended, and the wall clock may be set back: the longer of the two times counts.

export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** The first use of `performance` loads a module of Node's, which takes a millisecond of every first run. */
const monotonicMs = (): number => process.uptime() * 1000;

export const thisMoment = (): Moment => ({ monotonic: monotonicMs(), wall: Date.now() });

/** Milliseconds since then. */
export const msSince = ({ monotonic, wall }: Moment): number => Math.max(monotonicMs() - monotonic, Date.now() - wall);
