// An answer names the question that it is given to, by the number of the log that the person saw. A gate keeps its key
// while its question changes: after a resume with other inputs it asks about those.
import { isDeepStrictEqual } from "node:util";
import type { Question } from "../../engine/people/ask.ts";
import { askerName } from "../../events/asker-name.ts";
import type { EventData, RunEvent } from "../../events/registry.ts";
import { reading } from "../session/store.ts";
import type { WatchedRuns } from "../views/watched-runs.ts";
import { TooLate } from "./first.ts";

type Presented = RunEvent & { readonly type: "gate_presented" | "questions_presented" };
type Resumed = Extract<RunEvent, { readonly type: "run_resumed" }>;

/** Throws when the gate does not ask any more what it asked then; gives the question that waits, if one does. */
export async function requireSameQuestion(
  { store }: WatchedRuns,
  runId: string,
  { key, seq }: { readonly key: string; readonly seq: number },
): Promise<Question | undefined> {
  const open = (await store.state.gates.pending(runId)).find((gate) => gate.key === key);
  if (!open) return undefined;
  const asks = open.question as Question;
  let seen: Presented | undefined;
  let resumed: Resumed | undefined;
  let changed: Resumed | undefined;
  await reading(store, runId, async (reader) => {
    for await (const event of reader.events()) {
      if (event.seq <= seq && isPresented(event, key)) seen = event;
      if (event.seq > seq && event.type === "run_resumed") {
        resumed = event;
        if (asksAboutOthers(event.data)) changed = event;
      }
    }
  });
  const isSame = asks.kind === "dialog" || (seen !== undefined && isAsked(asks, seen));
  if (isSame && !changed) return asks;
  throw changedSince(runId, key, changed ?? resumed);
}

export const isPresented = (event: RunEvent, key: string): event is Presented =>
  (event.type === "gate_presented" || event.type === "questions_presented") && event.data.key === key;

/** Whether an event of the log asks that very question. */
export function isAsked(question: Question, event: Presented): boolean {
  if ((question.prompt ?? "") !== (event.data.prompt ?? "")) return false;
  if (event.type === "gate_presented")
    return question.kind === "gate" && isDeepStrictEqual(plain(question.options), plain(event.data.options));
  return question.kind === "questions" && isDeepStrictEqual(plain(question.questions), plain(event.data.questions));
}

/** As JSON has it: a store keeps no `undefined`. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** In the same words perhaps: what the answer leads to is another thing. */
const asksAboutOthers = ({ inputs_changed, file_changed, from, force }: EventData<"run_resumed">): boolean =>
  inputs_changed.length > 0 || file_changed || from !== undefined || force === true;

function changedSince(runId: string, key: string, resumed: Resumed | undefined): TooLate {
  const by = resumed?.data.by ?? null;
  const at = resumed?.ts ?? null;
  const what = resumed ? `: ${by ?? "another user"} resumed the run ${withWhat(resumed.data)}, at ${at}` : "";
  return new TooLate(
    `the question of ${askerName(key)} has changed since you saw it${what}. Read it again, and answer what it asks now`,
    { what: "resumed", by, at },
    runId,
  );
}

function withWhat({ inputs_changed, file_changed, from }: EventData<"run_resumed">): string {
  if (inputs_changed.length > 0) return `with another ${inputs_changed.join(", ")}`;
  if (file_changed) return "with a changed file";
  return from === undefined ? "again" : `from ${from} on`;
}
