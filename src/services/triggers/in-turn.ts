// Whose turn it is: of triggers that several workers look after, and of firings that wait for their run.

/** Several workers look after them: they begin at different ones, so that each does a part. */
export function inAnyOrder<Item>(items: readonly Item[], isShared: boolean): readonly Item[] {
  if (!isShared) return items;
  const from = Math.floor(Math.random() * items.length);
  return [...items.slice(from), ...items.slice(0, from)];
}

/** One of each key, then the next of each: a thousand of one key keep no other waiting. */
export function roundRobin<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const rounds = new Map<string, number>();
  return items
    .map((item) => {
      const round = rounds.get(keyOf(item)) ?? 0;
      rounds.set(keyOf(item), round + 1);
      return { item, round };
    })
    .sort((a, b) => a.round - b.round)
    .map(({ item }) => item);
}
