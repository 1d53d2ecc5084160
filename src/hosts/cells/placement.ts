// Where a run goes: by rendezvous hashing, so that of N cells one more takes a part of 1/(N+1) from the others, and what
// stays is where it was.
import { createHash } from "node:crypto";

/** The same for the same key and names, whatever their order. */
export function placeOf<Place extends { readonly name: string }>(
  key: string,
  places: readonly Place[],
): Place | undefined {
  let best: { readonly place: Place; readonly weight: bigint } | undefined;
  for (const place of places) {
    const weight = createHash("sha256").update(`${place.name}\n${key}`).digest().readBigUInt64BE();
    if (!best || weight > best.weight) best = { place, weight };
  }
  return best?.place;
}
