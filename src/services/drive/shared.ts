// What runs share through the store, in the shapes that the engine and the port ask for.

import type { Awaitable } from "../../engine/awaitable.ts";
import type { OutcomeCache } from "../../engine/index.ts";
import type { Answer } from "../../engine/people/ask.ts";
import type { HashWorld } from "../../engine/visit/hash.ts";
import type { AnswerBox } from "../../hosts/drive.ts";
import type { RunStore } from "../../hosts/store.ts";

/** Gates that somebody may answer from another process. */
export const storeAnswers = (store: RunStore, runId: string): AnswerBox => ({
  present: (question) => store.state.gates.present(runId, question.key, question),
  async get(key) {
    return (await store.state.gates.get(runId, key))?.answer as Answer | undefined;
  },
  close: (key) => store.state.gates.withdraw(runId, key),
});

/** The key is read, and perhaps made, only for a workflow that needs it. */
export const hashingFor = (store: RunStore, env: HashWorld["env"]): HashWorld => ({
  env,
  get key() {
    return store.hashKey;
  },
});

interface Kept {
  readonly output: unknown;
  readonly runId: string;
}

export const storeCache = (store: RunStore, runId: string): OutcomeCache => ({
  get: (hash) => atOnce(store.state.cache.get(hash))?.value as Kept | undefined,
  put: (hash, output, ttlSeconds) =>
    atOnce(
      store.state.cache.put(
        hash,
        { output, runId } satisfies Kept,
        ttlSeconds === undefined ? {} : { ttl: ttlSeconds * 1000 },
      ),
    ),
});

/** The interpreter asks for what runs share without waiting, so it needs a store that answers at once. */
export function atOnce<Value>(answer: Awaitable<Value>): Value {
  if (answer instanceof Promise)
    throw new TypeError("this store answers later, and the interpreter does not wait for it");
  return answer;
}
