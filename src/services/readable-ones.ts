// Entries of a list over many runs: one whose run is damaged, or sealed with a key that is not here, is left out and said,
// and the others stay.
import { isUnreadable, StoreError } from "../hosts/store-error.ts";
import type { Surroundings } from "./request.ts";

/** `what`: how one is called that cannot be opened; what is said of a damaged one names it. */
export async function readableOnes<Item, Entry>(
  { leftOut }: Pick<Surroundings, "leftOut">,
  items: readonly Item[],
  what: (item: Item) => string,
  read: (item: Item) => Promise<Entry>,
): Promise<readonly Entry[]> {
  const said = new Set<string>();
  const found = (await Promise.allSettled(items.map(read))).flatMap((entry, at) => {
    if (entry.status === "fulfilled") return [entry.value];
    const { reason } = entry;
    if (isUnreadable(reason)) said.add(`Left out: ${what(items[at] as Item)}. ${reason.message}`);
    else if (reason instanceof StoreError && reason.code === "corrupt")
      said.add(`Left out what belongs to it: ${reason.message}`);
    else throw reason;
    return [];
  });
  for (const message of said) leftOut?.(message);
  return found;
}
