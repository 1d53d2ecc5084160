// Failed work that is kept, in memory or in a store, to be tried again or dropped.
import type { StoreAddress } from "../../frontends/library/options.ts";
import {
  checkMade,
  checkTaken,
  checkText,
  isCount,
  isFunction,
  isText,
  STORE,
} from "../../frontends/library/wrong-call.ts";
import { asRaised } from "./as-raised.ts";
import { type LetterShelf, LettersInMemory, type QueuedLetter } from "./letter-shelf.ts";

export interface DeadLetterQueueOptions {
  /** Where letters are kept, for all processes that use the store; in memory when left out. */
  readonly store?: StoreAddress;
  /** Which queue of the store it is; `queue` when left out. */
  readonly name?: string;
  /** Of more than these the oldest is dropped; 10 000 when left out. */
  readonly maxSize?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Keeps what failed for good.
 *
 * @example
 * const queue = new DeadLetterQueue({ store: "./.segno", maxSize: 100 });
 * for (const { id, error } of await queue.list()) await queue.retry(id, () => console.log("again", error.kind));
 */
export class DeadLetterQueue<Context = unknown> {
  readonly #options: Required<Omit<DeadLetterQueueOptions, "store">> & Pick<DeadLetterQueueOptions, "store">;
  #shelf: Promise<LetterShelf<Context>> | undefined;

  constructor(options: DeadLetterQueueOptions = {}) {
    checkMade("DeadLetterQueue", options, {
      store: STORE,
      name: ["a name, as text", isText],
      maxSize: ["a whole number, 1 or more", isCount],
      now: ["a function that gives the time", isFunction],
    });
    this.#options = { maxSize: 10_000, now: Date.now, name: "queue", ...options };
  }

  #letters(): Promise<LetterShelf<Context>> {
    const { store, ...rest } = this.#options;
    this.#shelf ??=
      store === undefined
        ? Promise.resolve(new LettersInMemory<Context>(rest))
        : import("./stored-letters.ts").then(({ StoredLetters }) => new StoredLetters<Context>({ store, ...rest }));
    return this.#shelf;
  }

  /** How many letters there are. */
  async size(): Promise<number> {
    return (await this.list()).length;
  }

  /** `context`: what a retry needs; in a store, data that JSON can hold. */
  async add(problem: unknown, context: Context): Promise<QueuedLetter<Context>> {
    return (await this.#letters()).add({ error: asRaised(problem), context });
  }

  /** Oldest first. */
  async list(): Promise<readonly QueuedLetter<Context>[]> {
    return (await this.#letters()).list();
  }

  async get(id: string): Promise<QueuedLetter<Context> | undefined> {
    return (await this.#letters()).get(id);
  }

  /** Tries it again: the letter is gone when that goes well, and keeps the error when it does not. Never two at once. */
  async retry<Value>(id: string, work: (letter: QueuedLetter<Context>) => Promise<Value> | Value): Promise<Value> {
    checkText("retry of DeadLetterQueue", "the id of a letter", id);
    checkTaken("retry of DeadLetterQueue", ["the function that tries it again", isFunction], work);
    const letters = await this.#letters();
    const letter = await letters.get(id);
    if (!letter) throw new Error(`there is no letter ${id}`);
    if (!(await letters.claim(id))) throw new Error(`the letter ${id} is being retried`);
    let value: Value;
    try {
      value = await work(letter);
    } catch (problem) {
      await letters.failed(id, asRaised(problem));
      throw problem;
    }
    await letters.remove(id, "resolved");
    return value;
  }

  /** False when there is none. */
  async drop(id: string): Promise<boolean> {
    return (await this.#letters()).remove(id, "dropped");
  }

  /** Closes the store, if there is one. It is opened again when the queue is used again. */
  async close(): Promise<void> {
    await (await this.#shelf)?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
