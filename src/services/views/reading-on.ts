// Reading on after an answer that could not wait for everything, so that a later request finds it read: a little at a
// time, until all is read, no request has come for a while, or the server stops.
import { setTimeout as pause } from "node:timers/promises";

/** Without a request for that long, reading stops. */
const ASKED_MS = 5 * 60_000;
/** Reads so long, rests as long: what people do meanwhile comes first. */
const TURN_MS = 20;

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
