// Entries of a list over many runs. An entry whose run cannot be read, for whatever reason, is left out and named, and the
// others stay: one run must not hide what all the others wait for.
import { StoreError } from "../../hosts/store-error.ts";
import type { Session } from "../session/session.ts";

/** `what`: the name of an entry that is left out; the message about a damaged run names the run itself. */
export async function skipUnreadable<Item, Entry>(
  { leftOut }: Pick<Session, "leftOut">,
  items: readonly Item[],
  what: (item: Item) => string,
  read: (item: Item) => Promise<Entry>,
): Promise<readonly Entry[]> {
  const said = new Set<string>();
  const found = (await Promise.allSettled(items.map(read))).flatMap((entry, at) => {
    if (entry.status === "fulfilled") return [entry.value];
    const reason: unknown = entry.reason;
    const why = reason instanceof Error ? reason.message : String(reason);
    const namesIt = reason instanceof StoreError && reason.code === "corrupt";
    said.add(namesIt ? `Left out what belongs to it: ${why}` : `Left out: ${what(items[at] as Item)}. ${why}`);
    return [];
  });
  for (const message of said) leftOut?.(message);
  return found;
}
