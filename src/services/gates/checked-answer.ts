// An answer held against the question that it is given to: whether it comes in time, from whom it counts, and whether it is
// one of those that can be given.

import { nearest } from "../../base/errors/nearest.ts";
import { askerName, askerNames } from "../../base/events/asker-name.ts";
import type { EventData } from "../../base/events/registry.ts";
import { typeable } from "../../base/events/typeable.ts";
import { COMMAND_LINE } from "../../base/results/index.ts";
import { whyNotBy } from "../../engine/people/approval.ts";
import {
  type Answer,
  type Answerer,
  answerText,
  type GateQuestion,
  missingText,
  type Question,
  type QuestionList,
} from "../../engine/people/ask.ts";
import { chosenOption, shownChoices } from "../../steps/human-gate/prepare.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore } from "../../storage/store.ts";
import { redactorFor } from "../reading/read-run.ts";
import type { Exiting } from "../session/exit.ts";
import { actingAs } from "../session/people.ts";
import type { Session } from "../session/session.ts";
import { reading } from "../session/store.ts";

export interface GateAnswerRequest {
  readonly run: string;
  readonly value: string;
  /** Which one, when there is more than one: its name, or any other that only it has. */
  readonly gate?: string;
  /** As the answering person saw it: when the gate asks something else by now, the answer does not count. */
  readonly question?: Question;
  /** Texts that the option asks for; for questions, the answers by id. */
  readonly inputs: Readonly<Record<string, string>>;
  /** How the answer comes: `mcp:CLIENT`, `library`; the command line when left out. */
  readonly via?: string;
  /** Who they say they are. Recorded as that: who they are the operating system says. */
  readonly as?: string;
}

/** The next drive applies the timeout, so an answer now would not count. */
export function tooLate(question: Question, now: number): string | undefined {
  if (question.kind === "dialog" || question.deadline === undefined || now < Date.parse(question.deadline))
    return undefined;
  return `${question.node} could be answered until ${question.deadline}, and its timeout has passed`;
}

type Checked = Answer | { readonly problem: string; readonly suggestions?: readonly string[] };

export function answerFor(question: Question, session: Session, request: GateAnswerRequest): Checked {
  const { via: by = "cli", as: claims } = request;
  const answerer: Answerer = { by, ...actingAs(session), claims };
  const refused = question.kind === "dialog" ? undefined : whyNotBy(question, answerer);
  if (refused !== undefined) return { problem: `the answer does not count: ${refused}` };
  switch (question.kind) {
    case "gate":
      return gateAnswer(question, session, request, answerer);
    case "questions":
      return questionsAnswer(question, session, request, answerer);
    case "dialog":
      return { kind: "dialog", text: request.value, ...answerer };
  }
}

function gateAnswer(
  { node, options }: GateQuestion,
  { reader = COMMAND_LINE }: Session,
  { value, inputs }: GateAnswerRequest,
  answerer: Answerer,
): Checked {
  const chosen = chosenOption({ options }, value);
  if (!chosen)
    return {
      problem: `${JSON.stringify(value)} is none of the options of ${node}: ${shownChoices(options)}`,
      suggestions: nearest(
        value,
        options.flatMap((option) => [option.value, option.label]),
      ),
    };
  const stray = Object.keys(inputs).find((name) => name !== chosen.prompt_for);
  if (stray)
    return {
      problem: chosen.prompt_for
        ? `${chosen.value} asks for ${chosen.prompt_for}, not for ${stray}`
        : `${chosen.value} asks for no text, and ${stray} was given`,
      suggestions: chosen.prompt_for ? [chosen.prompt_for] : [],
    };
  const lacking = missingText(chosen, inputs);
  if (lacking)
    return {
      problem: `${chosen.value} asks for a text, ${lacking}: ${reader.give({ what: "answer", name: lacking })}`,
    };
  return { kind: "gate", value: chosen.value, additional_input: inputs, ...answerer };
}

function questionsAnswer(
  { node, questions, allow_abort }: QuestionList,
  { reader = COMMAND_LINE }: Session,
  { value, inputs }: GateAnswerRequest,
  answerer: Answerer,
): Checked {
  const aborts = value === "__abort__";
  if (aborts && !allow_abort) return { problem: `the questions of ${node} cannot be called off` };
  const ids = questions.map((one) => one.id);
  const stray = Object.keys(inputs).find((id) => !ids.includes(id));
  if (stray) return { problem: `there is no question ${stray}: ${ids.join(", ")}`, suggestions: nearest(stray, ids) };
  const answers = questions.map((one) => {
    // With a single question the value itself is the answer.
    const given = inputs[one.id] ?? (questions.length === 1 ? value : undefined) ?? one.default;
    return given === undefined || given.trim() === ""
      ? { id: one.id, answer: "", source: "skipped" as const }
      : {
          id: one.id,
          answer: given,
          source: one.choices?.includes(given) ? ("choice" as const) : ("free_text" as const),
        };
  });
  if (!aborts)
    for (const [index, one] of questions.entries()) {
      const given = answers[index];
      if (one.required && given?.source === "skipped")
        return {
          problem: `${one.id} must be answered (${one.text}): ${reader.give({ what: "answer", name: one.id })}`,
        };
      if (!one.allow_free_text && given?.source === "free_text")
        return {
          problem: `${JSON.stringify(given.answer)} is none of the choices of ${one.id}: ${one.choices?.join(", ")}`,
          suggestions: nearest(given.answer, one.choices ?? []),
        };
    }
  return { kind: "questions", answers, outcome: aborts ? "aborted" : "completed", ...answerer };
}

export interface FirstAnswer {
  readonly key: string;
  readonly by: string;
  /** How it came, where a person is named: `mcp:CLIENT`, `library`. */
  readonly via?: string | undefined;
  readonly answer: string;
  /** ISO time, when it is in the run's journal already. */
  readonly at: string | null;
}

/** The answer to one of these gates of a run; of several the last one. */
export async function firstAnswer(
  store: RunStore,
  runId: string,
  isMeant: (key: string) => boolean,
  session: Pick<Session, "env"> & Exiting,
): Promise<FirstAnswer | undefined> {
  return reading(store, runId, async (reader) => {
    // Answers may hold what the run hides.
    await redactorFor(reader, session);
    for (const key of await unresolvedKeys(reader)) {
      if (!isMeant(key)) continue;
      const given = (await store.state.gates.counted(runId, key))?.answer as Answer | undefined;
      if (given) {
        const { person, by } = given;
        const who = person === undefined ? { by } : { by: person, via: by };
        return { key, ...who, answer: answerText(given), at: null };
      }
    }
    // A drive may have taken it already.
    let last: FirstAnswer | undefined;
    const lists = new Map<string, string[]>();
    for await (const { type, ts, data } of reader.events()) {
      if (type === "gate_resolved" && isMeant(data.key))
        last = { key: data.key, ...answererOf(data), answer: JSON.stringify(data.selected_option), at: ts };
      if (type === "questions_answered")
        lists.set(data.key, [...(lists.get(data.key) ?? []), `${data.id}: ${JSON.stringify(data.answer)}`]);
      if (type === "questions_completed" && data.key !== undefined && isMeant(data.key))
        last = {
          key: data.key,
          ...answererOf(data),
          answer: data.outcome === "aborted" ? "called off" : (lists.get(data.key)?.join(", ") ?? data.outcome),
          at: ts,
        };
    }
    return last;
  });
}

const answererOf = ({ answered_by, answered_via }: EventData<"gate_resolved"> | EventData<"questions_completed">) => ({
  by: answered_by,
  via: answered_via,
});

/** Unanswered in the journal, the last first. Not by the run's state: a drive begun by the answer asks only later. */
async function unresolvedKeys(reader: RunReader): Promise<readonly string[]> {
  const keys = new Set<string>();
  for await (const { type, data } of reader.events()) {
    if (type === "gate_presented" || type === "questions_presented") keys.add(data.key);
    if (type === "gate_resolved" || type === "questions_completed") keys.delete(data.key ?? "");
  }
  return [...keys].reverse();
}

/** Whether a gate's key is called so; every one is when there is no name. */
export const isCalled =
  (name: string | undefined) =>
  (key: string): boolean =>
    !name || askerNames(key).some((one) => one === name || typeable(one) === name);

export function answeredText({ key, by, via = "", answer, at }: FirstAnswer): string {
  // An agent runs as some user of the machine, who did not answer.
  const who = via.startsWith("mcp:") ? `the agent ${via} of ${by}` : by;
  return `the gate ${typeable(askerName(key))} was answered already, by ${who} with ${answer}${at === null ? "" : `, at ${at}`}`;
}
