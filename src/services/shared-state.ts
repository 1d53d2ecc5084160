// What runs share through the store, in the shapes that the engine asks for.

import type { OutcomeCache } from "../engine/index.ts";
import type { Answer } from "../engine/people/ask.ts";
import type { AnswerBox } from "../hosts/embedded/drive.ts";
import type { Store } from "../hosts/embedded/store.ts";

/** Gates that somebody may answer from another process. */
export const storeAnswers = (store: Store, runId: string): AnswerBox => ({
  present: (question) => store.state.gates.present(runId, question.key, question),
  get: (key) => store.state.gates.get(runId, key)?.answer as Answer | undefined,
  close: (key) => store.state.gates.withdraw(runId, key),
});

interface Kept {
  readonly output: unknown;
  readonly runId: string;
}

export const storeCache = (store: Store, runId: string): OutcomeCache => ({
  get: (hash) => store.state.cache.get(hash)?.value as Kept | undefined,
  put: (hash, output, ttlSeconds) =>
    store.state.cache.put(
      hash,
      { output, runId } satisfies Kept,
      ttlSeconds === undefined ? {} : { ttl: ttlSeconds * 1000 },
    ),
});
