// When the failures of a group are one failure: a systemic fault is not ten thousand letters.

const ENOUGH = 10;

/** Whether, from the 10th item on, more than half of what finished failed with one kind. */
export function isSystemic(kinds: readonly string[], finished: number): boolean {
  if (finished < ENOUGH) return false;
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Math.max(0, ...counts.values()) > finished / 2;
}
