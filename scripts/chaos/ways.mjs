// The ways in which a run is disturbed. Each is a function from a seed's chance to `disturb` of a case.

/** Killed once, at the n-th write of its first process. */
export const onceAt = (when, nth) => ({
  name: `${when}-${nth}`,
  disturb: (drive) => (drive === 1 ? { fault: `kill-${when}:${nth}` } : {}),
});

/**
 * Killed again and again, a few writes after each beginning. A resume writes that it began, and again for each container
 * it enters, before anything gets on: so each drive that got nowhere makes the next one longer.
 */
export const stutter = (random, name) => ({
  name: `stutter-${name}`,
  disturb: (_, stuck) => ({
    fault: `kill-${random.pick(["before", "after"])}:${random.between(3, 6) + random.between(1, 3) * stuck}`,
  }),
});

/** Killed at moments that nothing in the program knows of. */
export const anyMoment = (random, name, startMs) => ({
  name: `moment-${name}`,
  disturb: (drive) =>
    drive <= 6 ? { killAfterMs: Math.round(startMs * (0.5 + random.next())) + random.between(0, 200) } : {},
});
