// JSON that is nested deeper than anything can be written again: parsing takes it, everything after it would overflow.

const DEEPEST = 1000;

/** Level by level, without recursion: that is what would overflow. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((one) =>
      typeof one === "object" && one !== null ? Object.values(one).filter(isNested) : [],
    );
  }
  return false;
}

const isNested = (value: unknown): boolean => typeof value === "object" && value !== null;
