// Handles concurrent answers to one gate: the second caller gets the first answer and its author.
import { type Answer, answerText } from "../../engine/people/ask.ts";
import { askerName, askerNames } from "../../events/asker-name.ts";
import { typeable } from "../../events/typeable.ts";
import type { RunStore } from "../../hosts/store.ts";
import { redactorFor, stateOf } from "../runs/read-run.ts";
import type { Session } from "../session/session.ts";
import { reading } from "../session/store.ts";

/** The answer that counts. */
export interface FirstAnswer {
  readonly key: string;
  readonly by: string;
  /** What was answered, in a few words. */
  readonly answer: string;
  /** ISO time, when it is in the run's journal already. */
  readonly at: string | null;
}

/** The answer to one of these gates of a run; of several the last one. */
export async function firstAnswer(
  store: RunStore,
  runId: string,
  isMeant: (key: string) => boolean,
  session: Pick<Session, "env">,
): Promise<FirstAnswer | undefined> {
  return reading(store, runId, async (reader) => {
    const redactor = await redactorFor(reader, session);
    for (const key of (await stateOf(reader)).gates.keys()) {
      if (!isMeant(key)) continue;
      const given = (await store.state.gates.counted(runId, key))?.answer as Answer | undefined;
      if (given) return { key, by: given.person ?? given.by, answer: redactor.text(answerText(given)), at: null };
    }
    // A drive may have taken it already.
    let last: FirstAnswer | undefined;
    const lists = new Map<string, string[]>();
    for await (const { type, ts, data } of reader.events()) {
      if (type === "gate_resolved" && isMeant(data.key))
        last = { key: data.key, by: data.answered_by, answer: JSON.stringify(data.selected_option), at: ts };
      if (type === "questions_answered")
        lists.set(data.key, [...(lists.get(data.key) ?? []), `${data.id}: ${JSON.stringify(data.answer)}`]);
      if (type === "questions_completed" && data.key !== undefined && isMeant(data.key))
        last = {
          key: data.key,
          by: data.answered_by,
          answer: data.outcome === "aborted" ? "called off" : (lists.get(data.key)?.join(", ") ?? data.outcome),
          at: ts,
        };
    }
    return last && { ...last, answer: redactor.text(last.answer) };
  });
}

/** Whether a gate's key is called so; every one is when there is no name. */
export const isCalled =
  (name: string | undefined) =>
  (key: string): boolean =>
    !name || askerNames(key).some((one) => one === name || typeable(one) === name);

export const answeredText = ({ key, by, answer, at }: FirstAnswer): string =>
  `the gate ${typeable(askerName(key))} was answered already, by ${by} with ${answer}${at === null ? "" : `, at ${at}`}`;
