// Reading many runs for one answer: as many as a short time allows, with pauses for other work. What was read once is
// at hand the next time, so the next request gets further.
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";

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

/** Without a request for that long, reading stops. */
const ASKED_MS = 5 * 60_000;
/**
 * Reading on after an answer that could not wait for everything, so that a later request finds it read: a little at a
 * time, until all is read, no request has come for a while, or the server stops.
 */
export class ReadingOn {
  readonly #stopping: AbortSignal | undefined;
  #rest: readonly (() => Promise<unknown>)[] = [];
  #askedAt = 0;
  #isReading = false;

  constructor(stopping?: AbortSignal) {
    this.#stopping = stopping;
  }

  /** What to read next, in place of what was wanted before. */
  want(reads: readonly (() => Promise<unknown>)[]): void {
    this.#rest = reads;
    this.#askedAt = performance.now();
    if (!this.#isReading) void this.#readOn();
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#rest.length > 0 && performance.now() - this.#askedAt < ASKED_MS) {
        // First: what asked has its answer before this goes on.
        await pause(TURN_MS, undefined, { signal: this.#stopping, ref: false });
        await this.#readForATurn();
      }
    } catch {
      // The server stops; what cannot be read is said by the reading itself.
    } finally {
      this.#isReading = false;
    }
  }

  async #readForATurn(): Promise<void> {
    const until = performance.now() + TURN_MS;
    do {
      const [read, ...rest] = this.#rest;
      this.#rest = rest;
      await read?.();
    } while (this.#rest.length > 0 && performance.now() < until);
  }
}
