// Lists everything that waits for a person, as a page shows it. Also says who answered a gate that no longer waits.

import { isDeepStrictEqual } from "node:util";
import { keptIn } from "../../../base/errors/mapping.ts";
import { askerName } from "../../../base/events/asker-name.ts";
import type { EventData, RunEvent } from "../../../base/events/registry.ts";
import { fromTyped, typeable } from "../../../base/events/typeable.ts";
import { authored } from "../../../base/redact/index.ts";
import { whyNotBy } from "../../../engine/people/approval.ts";
import type { Question } from "../../../engine/people/ask.ts";
import { answeredText, firstAnswer } from "../../../services/gates/checked-answer.ts";
import { briefInputs, gateRules } from "../../../services/gates/rules.ts";
import { withProjectPeople } from "../../../services/project/people-of-run.ts";
import { shownOfRuns } from "../../../services/reading/shown-of-runs.ts";
import { skipUnreadable } from "../../../services/session/damage.ts";
import { actingAs, type KnownPerson } from "../../../services/session/people.ts";
import type { Session } from "../../../services/session/session.ts";
import { reading } from "../../../services/session/store.ts";
import type { RunReader } from "../../../storage/run-reader.ts";
import type { OpenQuestion } from "../../../storage/shared-state.ts";
import type { WatchedRuns } from "../views/watched-runs.ts";
import { requireSameDrive, TooLate } from "./conflicts.ts";

/** A run and the key of a gate in it, as one name that an address can hold. */
export const gateId = (runId: string, key: string): string => `${runId}:${typeable(key)}`;

export function gateOf(id: string): { readonly run: string; readonly key: string } | undefined {
  const colon = id.indexOf(":");
  return colon < 1 ? undefined : { run: id.slice(0, colon), key: fromTyped(id.slice(colon + 1)) };
}

export async function gatesShown(watched: WatchedRuns, session: Session) {
  const { store } = watched;
  const shownOf = shownOfRuns(store, session);
  // The name of the person who looks, in the project of a run's file. Many gates may be of one file.
  const names = new Map<string, KnownPerson>();
  const nameIn = (file: string) => keptIn(names, file, () => actingAs(withProjectPeople(session, file)));
  const shown = async (open: OpenQuestion) => {
    const run = await store.summary(open.runId);
    if (!run || !watched.isShown(run.file)) return [];
    const { reader, position, state } = await watched.get(open.runId);
    // Both of one moment: an answer under this number was given with these inputs in view. The name is the journal's,
    // which is sealed on a fleet, and not the index's: a person decides by it.
    const { inputs, hiddenInputs, root } = state;
    const seq = await seqOf(reader, position, open);
    const shownHere = await shownOf(open.runId);
    return [
      {
        ...shownHere(viewOf(open, root.name, seq)),
        inputs: briefInputs({ inputs: shownHere(authored(inputs)), hiddenInputs }),
        you: lookingAt(open.question as Question, nameIn(run.file)),
      },
    ];
  };
  const what = ({ runId }: OpenQuestion): string => `a question of run ${runId}`;
  return (await skipUnreadable(session, await store.state.gates.pending(), what, shown)).flat();
}

function lookingAt(question: Question, who: KnownPerson) {
  const why = question.kind === "dialog" ? undefined : whyNotBy(question, { by: "page", ...who });
  return { person: who.person, may_answer: why === undefined, why_not: why ?? null };
}

/** How far back a question can be that is in the log and not among those that wait yet. */
const JUST_NOW = 200;

/** Up to where the log is as the question has it: a drive records the next one right before it is listed as waiting. */
async function seqOf(reader: RunReader, seq: number, { key, question }: OpenQuestion): Promise<number> {
  let other: number | undefined;
  for await (const event of reader.events(Math.max(0, seq - JUST_NOW)))
    if (isPresented(event, key)) other = isAsked(question as Question, event) ? undefined : (other ?? event.seq);
  return other === undefined ? seq : other - 1;
}

function viewOf({ runId, key, presented, question }: OpenQuestion, workflow: string, seq: number) {
  const asked = question as Question;
  return {
    id: gateId(runId, key),
    run_id: runId,
    workflow,
    node_id: asked.node,
    path: slotsOf(key),
    key,
    kind: asked.kind,
    presented_at: presented,
    prompt: asked.prompt ?? "",
    options: asked.kind === "gate" ? asked.options : [],
    questions: asked.kind === "questions" ? asked.questions : [],
    allow_abort: asked.kind === "questions" && asked.allow_abort,
    ...gateRules(asked),
    seq,
  };
}

/** The sub-workflows of a key: `package#1/each#1[a/b].call#1/ask#1` is in package and in each[a/b]. */
function slotsOf(key: string): readonly string[] {
  const parts = key.match(/(?:\[[^\]]*\]|[^/[])+/g) ?? [];
  return parts.slice(0, -1).map((part) => {
    const item = /^([^#[]+)#\d+(?:~\d+)?(\[[^\]]*\])/.exec(part);
    return item ? `${item[1]}${item[2]}` : part.replace(/[#~].*$/, "");
  });
}

/** Throws when the gate does not wait any more, and says who answered it, or who ended the drive in which it was asked. */
export async function requireUnanswered(
  { store }: WatchedRuns,
  runId: string,
  { key, seq }: { readonly key: string; readonly seq: number },
  session: Session,
): Promise<void> {
  const pending = await store.state.gates.pending(runId);
  if (pending.some((gate) => gate.key === key)) return;
  const first = await firstAnswer(store, runId, (one) => one === key, session);
  if (!first) return reading(store, runId, (reader) => requireSameDrive(reader, seq));
  const { by, at, answer } = first;
  throw new TooLate(answeredText(first), { what: "answered", by, at, answer }, runId);
}

// An answer names the question that it is given to, by the number of the log that the person saw. A gate keeps its key
// while its question changes: after a resume with other inputs it asks about those.

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

const isPresented = (event: RunEvent, key: string): event is Presented =>
  (event.type === "gate_presented" || event.type === "questions_presented") && event.data.key === key;

function isAsked(question: Question, event: Presented): boolean {
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
