// When the failures of a group are one failure: a systemic fault is not ten thousand letters.

const ENOUGH = 10;

/** The kind with which, from the 10th item on, more than half of what finished failed; nothing while there is none. */
export function systemicKind(kinds: readonly string[], finished: number): string | undefined {
  if (finished < ENOUGH) return undefined;
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, count] of counts) if (count > finished / 2) return kind;
  return undefined;
}
