// Chance that can be had again: every choice of a chaos run comes from its seed.

export function randomFrom(seed) {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  // mulberry32: small, and good enough to pick shapes and moments.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const random = {
    next,
    /** A whole number from `low` to `high`, both included. */
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (list) => list[Math.floor(next() * list.length)],
    chance: (part) => next() < part,
  };
  return random;
}
