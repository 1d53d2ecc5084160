// Reading many runs for one answer: as many as a short time allows, with pauses for other work. What was read once is
// at hand the next time, so the next request gets further.
import { setImmediate as turn } from "node:timers/promises";

/** So many are always read: a small store answers whole, however busy the machine is. */
const AT_LEAST = 25;
const MOST_MS = 400;
/** After this long, other work has a turn. */
const TURN_MS = 20;

export interface ReadSoFar<Found> {
  readonly found: readonly Found[];
  /** How many of the last were not read. */
  readonly unread: number;
}

/** Reads from the first on, one after the other, at most so long. */
export async function readPiece<Thing, Found>(
  things: readonly Thing[],
  read: (thing: Thing) => Promise<Found>,
  mostMs = MOST_MS,
): Promise<ReadSoFar<Found>> {
  const found: Found[] = [];
  const began = performance.now();
  let turnBegan = began;
  for (const thing of things) {
    const now = performance.now();
    if (found.length >= AT_LEAST && now - began > mostMs) break;
    if (now - turnBegan > TURN_MS) {
      await turn();
      turnBegan = performance.now();
    }
    found.push(await read(thing));
  }
  return { found, unread: things.length - found.length };
}
