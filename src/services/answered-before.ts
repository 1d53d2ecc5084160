// Two people answered at once: whoever was later is told who was first.
import type { Answerer } from "../engine/people/ask.ts";
import { askerName, askerNames } from "../events/asker-name.ts";
import { typeable } from "../events/typeable.ts";
import type { RunStore } from "../hosts/store.ts";
import { stateOf } from "./read-run.ts";
import { reading } from "./store.ts";

/** The gate that the run was at last and that has its answer, in a sentence; nothing when there is none. */
export async function answeredBefore(store: RunStore, runId: string, name?: string): Promise<string | undefined> {
  const isMeant = (key: string): boolean =>
    !name || askerNames(key).some((one) => one === name || typeable(one) === name);
  const waiting = await reading(store, runId, async (reader) => [...(await stateOf(reader)).gates.keys()]);
  for (const key of waiting.filter(isMeant)) {
    const answered = await answeredText(store, runId, key);
    if (answered !== undefined) return answered;
  }
  // It may have been heard already.
  let last: string | undefined;
  await reading(store, runId, async (reader) => {
    for await (const { type, ts, data } of reader.events())
      if (type === "gate_resolved" && isMeant(data.key)) last = `${sentence(data.key, data.answered_by)}, at ${ts}`;
  });
  return last;
}

/** The same of one gate, whose answer nobody has heard yet. */
export async function answeredText(store: RunStore, runId: string, key: string): Promise<string | undefined> {
  const given = (await store.state.gates.get(runId, key))?.answer as Answerer | undefined;
  return given && sentence(key, given.person ?? given.by);
}

const sentence = (key: string, by: string): string =>
  `the gate ${typeable(askerName(key))} was answered already, by ${by}`;
