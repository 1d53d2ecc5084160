// A moment of this process, by both of its clocks. The monotonic clock may stand still while a laptop or a virtual machine
// is suspended, and the wall clock may be set back: the longer of the two times counts.

export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export const thisMoment = (): Moment => ({ monotonic: performance.now(), wall: Date.now() });

/** Milliseconds since then. */
export const msSince = ({ monotonic, wall }: Moment): number =>
  Math.max(performance.now() - monotonic, Date.now() - wall);
