// A run by the beginning of its id. Ids of other runs are not named: whoever asks may not be allowed to see them.
import { StoreError } from "./store-error.ts";

/** What ids are looked up by; nothing for a text that is no beginning of one. */
export function idPrefix(text: string): string | undefined {
  const prefix = text.toUpperCase();
  return /^[0-9A-Z]+$/.test(prefix) ? prefix : undefined;
}

/** The one run that was meant; `place`: where runs are kept. */
export function onlyRun(prefix: string, found: readonly string[], place: string): string | undefined {
  if (found.length < 2) return found[0];
  throw new StoreError(
    "ambiguous",
    `Several runs begin with ${prefix}: ${found.length} of them. Give more of the id; its first ${lettersThatTell(found)} characters say which.`,
    place,
  );
}

/** How many first characters no two of the ids share. */
function lettersThatTell(ids: readonly string[]): number {
  const sorted = [...ids].sort();
  return Math.max(...sorted.slice(1).map((id, index) => sharedStart(id, sorted[index]!) + 1));
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
