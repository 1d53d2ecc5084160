// How many lines came and went between two texts: those that are not in their longest common run of lines.

/** Beyond this many cells the middle is counted as replaced: nobody reads such a change line by line. */
const MOST_CELLS = 4_000_000;

export function countLines(
  before: readonly string[],
  after: readonly string[],
): { readonly added: number; readonly removed: number } {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  const kept = old.length * now.length > MOST_CELLS ? 0 : commonLines(old, now);
  return { added: now.length - kept, removed: old.length - kept };
}

function commonLines(one: readonly string[], other: readonly string[]): number {
  let row = new Uint32Array(other.length + 1);
  for (const line of one) {
    const next = new Uint32Array(other.length + 1);
    for (const [index, candidate] of other.entries())
      next[index + 1] = line === candidate ? row[index]! + 1 : Math.max(next[index]!, row[index + 1]!);
    row = next;
  }
  return row[other.length] ?? 0;
}
