// Entries of a list over many runs: one whose run is damaged is left out and said, and the others stay.
import { StoreError } from "../hosts/store-error.ts";
import type { Surroundings } from "./request.ts";

export async function readableOnes<Entry>(
  { leftOut }: Pick<Surroundings, "leftOut">,
  entries: readonly Promise<Entry>[],
): Promise<readonly Entry[]> {
  const read = await Promise.allSettled(entries);
  const said = new Set<string>();
  const found = read.flatMap((entry) => {
    if (entry.status === "fulfilled") return [entry.value];
    if (!(entry.reason instanceof StoreError && entry.reason.code === "corrupt")) throw entry.reason;
    said.add(entry.reason.message);
    return [];
  });
  for (const message of said) leftOut?.(`Left out what belongs to it: ${message}`);
  return found;
}
