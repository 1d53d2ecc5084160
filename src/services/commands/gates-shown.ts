// Everything that waits for a person, as a page shows it; and who answered a gate that waits no more.
import { whyNotBy } from "../../engine/people/approval.ts";
import type { Question } from "../../engine/people/ask.ts";
import { fromTyped, typeable } from "../../events/typeable.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { OpenQuestion } from "../../hosts/shared-state.ts";
import { actingAs, type KnownPerson } from "../access/acting-person.ts";
import { withProjectPeople } from "../access/people-of-run.ts";
import { answeredText, firstAnswer } from "../gates/checked-answer.ts";
import { briefInputs, gateRules, type WhoMayAnswer } from "../gates/rules.ts";
import { skipUnreadable } from "../runs/damage.ts";
import { redactorsOfRuns } from "../secrets/redactors-of-runs.ts";
import type { Session } from "../session/session.ts";
import { reading } from "../session/store.ts";
import type { WatchedRuns } from "../views/watched-runs.ts";
import { requireSameDrive, TooLate } from "./first.ts";
import { isAsked, isPresented } from "./same-question.ts";

/** The person who looks, and whether their answer would count. */
export interface Looking {
  readonly person: string;
  readonly may_answer: boolean;
  readonly why_not: string | null;
}

export interface ShownGate extends WhoMayAnswer {
  readonly id: string;
  readonly run_id: string;
  readonly workflow: string | null;
  readonly node_id: string;
  readonly path: readonly string[];
  readonly key: string;
  readonly kind: Question["kind"];
  readonly presented_at: string;
  /** The run's inputs as they are now, in brief: what an answer is about, and what distinguishes two runs. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly prompt: string;
  readonly options: readonly object[];
  readonly questions: readonly object[];
  readonly allow_abort: boolean;
  readonly you: Looking;
  readonly seq: number;
}

/** A run and the key of a gate in it, as one name that an address can hold. */
export const gateId = (runId: string, key: string): string => `${runId}:${typeable(key)}`;

export function gateOf(id: string): { readonly run: string; readonly key: string } | undefined {
  const colon = id.indexOf(":");
  return colon < 1 ? undefined : { run: id.slice(0, colon), key: fromTyped(id.slice(colon + 1)) };
}

export async function gatesShown(watched: WatchedRuns, session: Session): Promise<readonly ShownGate[]> {
  const { store } = watched;
  const redactorOf = redactorsOfRuns(store, session);
  const nameIn = namesOfLooking(session);
  const shown = async (open: OpenQuestion): Promise<readonly ShownGate[]> => {
    const run = await store.summary(open.runId);
    if (!run || !watched.isShown(run.file)) return [];
    const { reader, position, state } = await watched.get(open.runId);
    // Both of one moment: an answer under this number was given with these inputs in view. The name is the journal's,
    // which is sealed on a fleet, and not the index's: a person decides by it.
    const { inputs, hiddenInputs, root } = state;
    const seq = await seqOf(reader, position, open);
    const redactor = await redactorOf(open.runId);
    const given = redactor.value(inputs, { keys: "author" }) as typeof inputs;
    return [
      {
        ...(redactor.value(viewOf(open, root.name, seq)) as Omit<ShownGate, "inputs" | "you">),
        inputs: briefInputs({ inputs: given, hiddenInputs }),
        you: lookingAt(open.question as Question, await nameIn(run.file)),
      },
    ];
  };
  const what = ({ runId }: OpenQuestion): string => `a question of run ${runId}`;
  return (await skipUnreadable(session, await store.state.gates.pending(), what, shown)).flat();
}

/** The name of the person who looks, in the project of a run's file. Many gates may be of one file. */
function namesOfLooking(session: Session): (file: string) => KnownPerson {
  const known = new Map<string, KnownPerson>();
  return (file) => {
    const found = known.get(file) ?? actingAs(withProjectPeople(session, file));
    known.set(file, found);
    return found;
  };
}

function lookingAt(question: Question, who: KnownPerson): Looking {
  const why = question.kind === "dialog" ? undefined : whyNotBy(question, { by: "page", ...who });
  return { person: who.person, may_answer: why === undefined, why_not: why ?? null };
}

/** How far back a question can be that is in the log and not among those that wait yet. */
const JUST_NOW = 200;

/**
 * Up to where the log is as the question has it. A drive records a question right before it is among those that wait:
 * in that moment the log is further, and a person who sees the question before it has not seen this one.
 */
async function seqOf(reader: RunReader, seq: number, { key, question }: OpenQuestion): Promise<number> {
  let other: number | undefined;
  for await (const event of reader.events(Math.max(0, seq - JUST_NOW)))
    if (isPresented(event, key)) other = isAsked(question as Question, event) ? undefined : (other ?? event.seq);
  return other === undefined ? seq : other - 1;
}

function viewOf(
  { runId, key, presented, question }: OpenQuestion,
  workflow: string | null,
  seq: number,
): Omit<ShownGate, "inputs" | "you"> {
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
