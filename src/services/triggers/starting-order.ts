// Many firings at one moment: which of them this process starts first, in which order, and how many at once.
import type { Firing } from "../../hosts/firings.ts";

/** Those of one key go on in the order of their making, at most so many at a time as its limit says. */
export const keyOf = ({ group, trigger }: Firing): string => group?.key ?? trigger;

/** So long a firing is left to the process that recorded it, while this one has others to start. */
const OTHERS_MS = 5000;

/** Ids of firings that this process recorded, until their runs are placed. */
export class FiredHere {
  #ids = new Set<string>();

  add(runId: string): void {
    this.#ids.add(runId);
  }

  /**
   * Of the firings that wait, all of the keys that this process has just fired for, and of old ones: the process that fired
   * the others starts them at the same time. All of them when there are no such.
   */
  first(waiting: readonly Firing[], now: number): readonly Firing[] {
    const ours = waiting.filter(({ runId, firedAt }) => this.#ids.has(runId) || now - Date.parse(firedAt) > OTHERS_MS);
    this.#ids = new Set(ours.map(({ runId }) => runId));
    const keys = new Set(ours.map(keyOf));
    return ours.length === 0 ? waiting : waiting.filter((firing) => keys.has(keyOf(firing)));
  }
}

/** So many at a time. All are done when it resolves, also when one has failed: no more begin then, and it throws. */
export async function sideBySide<Item>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const failed: unknown[] = [];
  const line = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done && failed.length === 0; next = waiting.next())
      await work(next.value).catch((problem: unknown) => failed.push(problem));
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, line));
  if (failed.length > 0) throw failed[0];
}

/** One of each key, then the next of each: a thousand of one key keep no other waiting. */
export function inRounds<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const counts = new Map<string, number>();
  const rounds: Item[][] = [];
  for (const item of items) {
    const round = counts.get(keyOf(item)) ?? 0;
    counts.set(keyOf(item), round + 1);
    const others = rounds[round];
    if (others) others.push(item);
    else rounds.push([item]);
  }
  return rounds;
}
