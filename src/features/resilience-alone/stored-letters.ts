// A dead letter queue in a store: processes that use the same store and name share it, and `segno dlq` lists it.

import type { Raised } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import type { LetterBody } from "../../engine/guard/resilience/index.ts";
import type { StoreAddress } from "../../frontends/library/options.ts";
import { newRunId } from "../../storage/run-index.ts";
import type { Letter, Letters } from "../../storage/shared-state.ts";
import { LETTER_RETENTION_MS, NO_RUN } from "../../storage/shared-state.ts";
import { type LetterShelf, type NewQueued, type QueuedLetter, SharedStore } from "./letter-shelf.ts";

/** Of a queue; what views of letters look for is in it, too. */
type QueuedBody = Pick<LetterBody, "type" | "path" | "inputs" | "attempts" | "file" | "definition_hash"> & {
  readonly envelope: Raised & { readonly attempts: number };
  readonly errors: readonly Raised[];
};

export interface StoredQueue {
  readonly store: StoreAddress;
  readonly name: string;
  readonly maxSize: number;
  readonly now: () => number;
}

export class StoredLetters<Context> implements LetterShelf<Context> {
  readonly #store: SharedStore;
  readonly #queue: StoredQueue;
  #addedSinceLook = Number.POSITIVE_INFINITY;

  constructor(queue: StoredQueue) {
    this.#store = new SharedStore(queue.store);
    this.#queue = queue;
  }

  async #letters(): Promise<Letters> {
    return (await this.#store.open()).state.letters;
  }

  async add({ error, context }: NewQueued<Context>): Promise<QueuedLetter<Context>> {
    const letters = await this.#letters();
    const id = newRunId();
    const { name } = this.#queue;
    const node = isMapping(context) && typeof context.agentId === "string" ? context.agentId : name;
    await letters.put({
      id,
      runId: NO_RUN,
      place: id,
      workflow: name,
      node,
      kind: error.kind,
      body: bodyOf(context, [error]),
    });
    await this.#makeRoom(letters);
    const seen = new Date(this.#queue.now()).toISOString();
    return { id, status: "open", error, errors: [error], context, firstSeen: seen, lastSeen: seen };
  }

  /** Not after each letter: many of them may come at once, and all have to be counted. */
  async #makeRoom(letters: Letters): Promise<void> {
    const { maxSize, name } = this.#queue;
    if (++this.#addedSinceLook <= maxSize / 100) return;
    this.#addedSinceLook = 0;
    await letters.expire(this.#queue.now() - LETTER_RETENTION_MS);
    const ours = (await letters.unsettled()).filter(({ runId, workflow }) => runId === NO_RUN && workflow === name);
    const ids = ours.map(({ id }) => id).sort();
    if (ids.length > maxSize) await letters.setStatus(ids.slice(0, ids.length - maxSize), "dropped");
  }

  async list(): Promise<readonly QueuedLetter<Context>[]> {
    const { name } = this.#queue;
    const filter = { workflow: name, runId: NO_RUN, status: ["open", "retrying"] } as const;
    const found = await (await this.#letters()).list(filter);
    // An id begins with the time at which it was made.
    return found.map((letter) => queued<Context>(letter)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async get(id: string): Promise<QueuedLetter<Context> | undefined> {
    const letter = await (await this.#letters()).get(id);
    const isOurs = letter?.runId === NO_RUN && letter.workflow === this.#queue.name;
    return isOurs && (letter.status === "open" || letter.status === "retrying") ? queued(letter) : undefined;
  }

  async claim(id: string): Promise<boolean> {
    return (await (await this.#letters()).claim([id])).length === 1;
  }

  async failed(id: string, problem: Raised): Promise<void> {
    const letters = await this.#letters();
    const kept = await letters.get(id);
    if (kept?.status !== "retrying") return;
    const { runId, place, workflow, node } = kept;
    const { context, errors } = queued<Context>(kept);
    const body = bodyOf(context, [...errors, problem]);
    await letters.put({ id, runId, place, workflow, node, kind: problem.kind, body });
  }

  async remove(id: string, status: "resolved" | "dropped"): Promise<boolean> {
    if (!(await this.get(id))) return false;
    await (await this.#letters()).setStatus([id], status);
    return true;
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

function bodyOf(context: unknown, errors: readonly Raised[]): QueuedBody {
  try {
    JSON.stringify(context);
  } catch (problem) {
    throw new TypeError("what is kept in a store with a dead letter is data that JSON can hold", { cause: problem });
  }
  return {
    type: "call",
    path: [],
    file: "",
    definition_hash: "",
    inputs: context,
    errors,
    envelope: { ...(errors.at(-1) as Raised), attempts: errors.length },
    attempts: errors.map(({ kind, message }, at) => ({ attempt: at + 1, kind, message })),
  };
}

function queued<Context>({ id, status, firstSeen, lastSeen, body }: Letter): QueuedLetter<Context> {
  const { errors, inputs } = body as unknown as QueuedBody;
  return {
    id,
    status: status === "retrying" ? status : "open",
    error: errors.at(-1) as Raised,
    errors,
    context: inputs as Context,
    firstSeen,
    lastSeen,
  };
}
