// Waits are lengthened at random, so that many runs do not come back at once.

/** A fraction by which waits are lengthened, or `full`: anything between 0 and the wait. */
export type Jitter = number | "full";

/**
 * A wait of so many seconds with its jitter, and never more than `most`. What would exceed `most` is mirrored below it: waits
 * that have reached it still spread. `random` is from 0 to 1.
 */
export function jittered(seconds: number, jitter: Jitter, random: number, most: number): number {
  if (jitter === "full") return seconds * random;
  const lengthened = seconds * (1 + jitter * random);
  return Math.max(0, Math.min(lengthened, 2 * most - lengthened));
}
