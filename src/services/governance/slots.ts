// Waiting for a slot, first come, first served. Only the first waiter polls whether another process freed one; those
// behind wait for their turn, so that a thousand waiters are not a thousand queries.
import type { Awaitable } from "../../engine/awaitable.ts";
import type { SlotPool } from "../../engine/guard/governance.ts";

/** Frees a place. */
type Free = () => void | Promise<void>;

export interface Places {
  /** Takes a place and gives what frees it; nothing when all are taken. */
  take(max: number): Awaitable<Free | undefined>;
  taken(): Awaitable<number>;
}

export interface SlotOptions {
  /** How often to look for places that other processes freed; absent when there are none. */
  readonly pollMs?: number;
}

export class WaitingSlots implements SlotPool {
  readonly #places: Places;
  readonly #pollMs: number | undefined;
  #turn: Promise<void> = Promise.resolve();
  #freed = (): void => {};

  constructor(places: Places, { pollMs }: SlotOptions = {}) {
    this.#places = places;
    this.#pollMs = pollMs;
  }

  taken(): Awaitable<number> {
    return this.#places.taken();
  }

  async acquire(max: number, signal: AbortSignal): Promise<Free | undefined> {
    const before = this.#turn;
    let pass = (): void => {};
    this.#turn = new Promise((resolve) => {
      pass = resolve;
    });
    await before;
    try {
      while (!signal.aborted) {
        const free = await this.#places.take(max);
        if (free)
          return async () => {
            await free();
            this.#freed();
          };
        await this.#change(signal);
      }
      return undefined;
    } finally {
      pass();
    }
  }

  /** Until this process frees a slot, it is time to look, or the signal aborts. */
  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#freed = () => {};
        resolve();
      };
      const timer = this.#pollMs === undefined ? undefined : setTimeout(done, this.#pollMs);
      this.#freed = done;
      signal.addEventListener("abort", done, { once: true });
    });
  }
}

/** Places of one process. */
export function memoryPlaces(): Places {
  let taken = 0;
  return {
    taken: () => taken,
    take(max) {
      if (taken >= max) return undefined;
      taken += 1;
      return () => {
        taken -= 1;
      };
    },
  };
}
