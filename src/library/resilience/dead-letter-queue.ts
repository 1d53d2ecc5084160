// Failed work that is kept in memory, to be tried again or dropped.
import type { Raised } from "../../errors/index.ts";
import { asRaised } from "./as-raised.ts";

export interface QueuedLetter<Context = unknown> {
  readonly id: string;
  readonly status: "open" | "retrying";
  /** What went wrong first; errors of later retries are added to `errors`. */
  readonly error: Raised;
  readonly errors: readonly Raised[];
  readonly context: Context;
  /** ISO 8601. */
  readonly firstSeen: string;
  readonly lastSeen: string;
}

export interface DeadLetterQueueOptions {
  /** Of more than these the oldest is dropped; 10 000 when left out. */
  readonly maxSize?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Keeps what failed for good.
 *
 * @example
 * const queue = new DeadLetterQueue({ maxSize: 100 });
 * for (const { id, error } of queue.list()) await queue.retry(id, () => console.log("again", error.kind));
 */
export class DeadLetterQueue<Context = unknown> {
  readonly #letters = new Map<string, QueuedLetter<Context>>();
  readonly #maxSize: number;
  readonly #now: () => number;
  #made = 0;

  constructor({ maxSize = 10_000, now = Date.now }: DeadLetterQueueOptions = {}) {
    if (!Number.isInteger(maxSize) || maxSize < 1)
      throw new TypeError(`\`maxSize\` of DeadLetterQueue is a whole number of at least 1, not ${maxSize}`);
    this.#maxSize = maxSize;
    this.#now = now;
  }

  get size(): number {
    return this.#letters.size;
  }

  add(problem: unknown, context: Context): QueuedLetter<Context> {
    const error = asRaised(problem);
    const seen = new Date(this.#now()).toISOString();
    this.#made += 1;
    const id = `letter-${this.#made}`;
    const letter: QueuedLetter<Context> = {
      ...{ id, status: "open", error, errors: [error], context, firstSeen: seen, lastSeen: seen },
    };
    this.#letters.set(id, letter);
    for (const oldest of this.#letters.keys()) {
      if (this.#letters.size <= this.#maxSize) break;
      this.#letters.delete(oldest);
    }
    return letter;
  }

  /** Oldest first. */
  list(): readonly QueuedLetter<Context>[] {
    return [...this.#letters.values()];
  }

  get(id: string): QueuedLetter<Context> | undefined {
    return this.#letters.get(id);
  }

  /** Tries it again: the letter is gone when that goes well, and keeps the error when it does not. Never two at once. */
  async retry<Value>(id: string, work: (letter: QueuedLetter<Context>) => Promise<Value> | Value): Promise<Value> {
    const letter = this.#letters.get(id);
    if (!letter) throw new Error(`there is no letter ${id}`);
    if (letter.status === "retrying") throw new Error(`the letter ${id} is being retried`);
    this.#letters.set(id, { ...letter, status: "retrying" });
    try {
      const value = await work(letter);
      this.#letters.delete(id);
      return value;
    } catch (problem) {
      const lastSeen = new Date(this.#now()).toISOString();
      const errors = [...letter.errors, asRaised(problem)];
      // It may have been dropped meanwhile.
      if (this.#letters.has(id)) this.#letters.set(id, { ...letter, errors, lastSeen });
      throw problem;
    }
  }

  /** False when there is none. */
  drop(id: string): boolean {
    return this.#letters.delete(id);
  }
}
