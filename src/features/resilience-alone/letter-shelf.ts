// Where programs without workflows keep dead letters: in memory here, in a store in stored-letters.ts; and that store, which
// breakers share. It is opened when first needed, and keeps no process alive.
import type { Awaitable } from "../../base/awaitable.ts";
import type { Raised } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import type { StoreAddress } from "../../frontends/library/options.ts";
import type { RunStore } from "../../storage/store.ts";

export interface QueuedLetter<Context = unknown> {
  readonly id: string;
  readonly status: "open" | "retrying";
  /** What went wrong last; `errors` has what went wrong before that, too. */
  readonly error: Raised;
  readonly errors: readonly Raised[];
  readonly context: Context;
  /** ISO 8601. */
  readonly firstSeen: string;
  readonly lastSeen: string;
}

export type NewQueued<Context> = Pick<QueuedLetter<Context>, "error" | "context">;

export interface LetterShelf<Context> {
  add(letter: NewQueued<Context>): Awaitable<QueuedLetter<Context>>;
  /** Oldest first. */
  list(): Awaitable<readonly QueuedLetter<Context>[]>;
  get(id: string): Awaitable<QueuedLetter<Context> | undefined>;
  /** Takes an open one for a retry; false when another has it. */
  claim(id: string): Awaitable<boolean>;
  /** A retry failed: it is open again, unless it was dropped meanwhile. */
  failed(id: string, error: Raised): Awaitable<void>;
  remove(id: string, status: "resolved" | "dropped"): Awaitable<boolean>;
  close(): Awaitable<void>;
}

export class LettersInMemory<Context> implements LetterShelf<Context> {
  readonly #letters = new Map<string, QueuedLetter<Context>>();
  #made = 0;

  constructor(private readonly options: { readonly maxSize: number; readonly now: () => number }) {}

  get #seen(): string {
    return new Date(this.options.now()).toISOString();
  }

  add({ error, context }: NewQueued<Context>): QueuedLetter<Context> {
    const id = `letter-${++this.#made}`;
    const letter: QueuedLetter<Context> = {
      id,
      status: "open",
      error,
      errors: [error],
      context,
      firstSeen: this.#seen,
      lastSeen: this.#seen,
    };
    this.#letters.set(id, copyOf(letter));
    for (const oldest of this.#letters.keys()) {
      if (this.#letters.size <= this.options.maxSize) break;
      this.#letters.delete(oldest);
    }
    return letter;
  }

  list(): readonly QueuedLetter<Context>[] {
    return [...this.#letters.values()].map((letter) => copyOf(letter));
  }

  get(id: string): QueuedLetter<Context> | undefined {
    const letter = this.#letters.get(id);
    return letter && copyOf(letter);
  }

  claim(id: string): boolean {
    const letter = this.#letters.get(id);
    if (letter?.status !== "open") return false;
    this.#letters.set(id, { ...letter, status: "retrying" });
    return true;
  }

  failed(id: string, error: Raised): void {
    const kept = this.#letters.get(id);
    const last = copyOf(error);
    const errors = [...(kept?.errors ?? []), last];
    if (kept) this.#letters.set(id, { ...kept, status: "open", error: last, errors, lastSeen: this.#seen });
  }

  remove(id: string): boolean {
    return this.#letters.delete(id);
  }

  close(): void {}
}

/** Callers may change what they give and get: the letter stays as it was. Objects of classes, and functions, are shared. */
function copyOf<Value>(value: Value, seen = new Map<unknown, unknown>()): Value {
  if (!Array.isArray(value) && !isPlain(value)) return value;
  const known = seen.get(value);
  if (known !== undefined) return known as Value;
  const copy: unknown = Array.isArray(value) ? [] : {};
  seen.set(value, copy);
  for (const [key, one] of Object.entries(value)) (copy as Record<string, unknown>)[key] = copyOf(one, seen);
  return copy as Value;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isMapping(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

export class SharedStore {
  #opened: Promise<RunStore> | undefined;

  constructor(private readonly address: StoreAddress) {}

  /** One that could not be opened is tried again by the next who asks. */
  open(): Promise<RunStore> {
    this.#opened ??= opened(this.address).catch((problem: unknown) => {
      this.#opened = undefined;
      throw problem;
    });
    return this.#opened;
  }

  /** Opened again by the next who asks. */
  async close(): Promise<void> {
    const open = this.#opened;
    this.#opened = undefined;
    await (await open)?.close();
  }
}

async function opened(address: StoreAddress): Promise<RunStore> {
  const [{ storeFor }, { standingOf }, { placeOf }] = await Promise.all([
    import("../../services/session/store.ts"),
    import("../../frontends/library/services-of.ts"),
    import("../../frontends/library/store.ts"),
  ]);
  return storeFor(standingOf(placeOf(address)));
}
