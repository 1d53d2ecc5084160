// What runs share through the store, in the shapes that the engine and the port ask for.
import { mapMaybe } from "../../engine/awaitable.ts";
import type { CachedOutcome, OutcomeCache } from "../../engine/outcome-cache.ts";
import type { Answer } from "../../engine/people/ask.ts";
import type { HashWorld } from "../../engine/visit/hash.ts";
import type { AnswerBox } from "../../hosts/asked-here.ts";
import type { RunStore } from "../../hosts/store.ts";

/** Gates that a person may answer from another process. */
export const storeAnswers = (store: RunStore, runId: string): AnswerBox => ({
  present: (question) => store.state.gates.present(runId, question.key, question),
  get: (key) => mapMaybe(store.state.gates.get(runId, key), (kept) => kept?.answer as Answer | undefined),
  answerTo: (question) =>
    mapMaybe(store.state.gates.answerTo(runId, question.key, question), (kept) => kept?.answer as Answer | undefined),
  settle: (question, answer) =>
    mapMaybe(
      store.state.gates.settle(runId, question.key, question, answer),
      (first) => first?.answer as Answer | undefined,
    ),
  forget: (key) => store.state.gates.forget(runId, key),
});

/** The key is read, and perhaps made, only for a workflow that needs it. */
export const hashingFor = (store: RunStore, runId: string, env: HashWorld["env"]): HashWorld => ({
  env,
  get key() {
    return store.hashKeyOf?.(runId) ?? store.hashKey;
  },
});

/** Outcomes of steps with `cache:`, with the run that they come from. */
export const storeCache = (store: RunStore, runId: string): OutcomeCache => ({
  get: (hash) => mapMaybe(store.state.cache.get(hash), (kept) => kept?.value as CachedOutcome | undefined),
  put: (hash, outcome, ttlSeconds) =>
    store.state.cache.put(
      hash,
      { ...outcome, runId } satisfies CachedOutcome,
      ttlSeconds === undefined ? {} : { ttl: ttlSeconds * 1000 },
    ),
});
