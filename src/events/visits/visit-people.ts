// A visit's share of what people were asked, and what they answered.
import { askingKey } from "../key.ts";
import type { EventData, RunEvent } from "../registry.ts";
import { questionText } from "./recorded.ts";
import type { VisitIndex } from "./visit-index.ts";
import { keep, type MomentOfDrive, type VisitRecord } from "./visit-record.ts";

type PeopleEventType =
  | "gate_presented"
  | "gate_notified"
  | "gate_resolved"
  | "questions_presented"
  | "questions_answered"
  | "questions_completed";

export function heardOfPeople(
  visits: VisitIndex,
  event: Extract<RunEvent, { readonly type: PeopleEventType }>,
  moment: MomentOfDrive,
): void {
  const { path } = event;
  switch (event.type) {
    case "gate_presented":
      gatePresented(asking(visits, path, event.data), event.data, moment);
      break;
    case "gate_notified":
      gateNotified(visits.at(path, event.data), event.data, moment);
      break;
    case "gate_resolved":
      gateResolved(visits.at(path, event.data), event.data, moment);
      break;
    case "questions_presented":
      questionsPresented(visits.at(path, event.data), event.data, moment);
      break;
    case "questions_answered":
      questionAnswered(visits.at(path, event.data), event.data);
      break;
    case "questions_completed":
      questionsCompleted(visits.find(path, event.data.key, event.data.agent_name), event.data, moment);
      break;
  }
}

/** Where a question is kept: with its step, or, of what an agent asks to be allowed, beside the visit that asks. */
function asking(visits: VisitIndex, path: readonly string[], data: EventData<"gate_presented">): VisitRecord {
  const visit = visits.at(path, data);
  const asker = visits.get(askingKey(data.key));
  // A step may be called permission1.
  if (asker && asker.node === data.agent_name) visit.askedBy = asker;
  return visit;
}

function gatePresented(
  visit: VisitRecord,
  { prompt, options, deadline, about, asked_at }: EventData<"gate_presented">,
  at: MomentOfDrive,
): void {
  visit.question = { prompt, options, about };
  visit.asked = { at: asked_at };
  visit.deadline = deadline === undefined ? undefined : Date.parse(deadline);
  // Asked again, as by a resume from here: the answer of before is none to it.
  visit.answer = undefined;
  const { history } = visit;
  if (history) history.asked = keep(history.asked, at);
  const asking = visit.askedBy?.history;
  if (asking) asking.requests = keep(asking.requests, { ...at, key: visit.key, prompt, answer: undefined });
}

function gateResolved(visit: VisitRecord, data: EventData<"gate_resolved">, moment: MomentOfDrive): void {
  const { selected_option: selected, route, additional_input, answered_by } = data;
  const { at } = moment;
  visit.answer = { kind: "gate", question: visit.question, selected, route, additional_input, answered_by, at };
  visit.asked = undefined;
  const { history } = visit;
  if (history) history.answers = keep(history.answers, { ...moment, option: selected });
  const request = visit.askedBy?.history?.requests.findLast(({ key }) => key === visit.key);
  if (request) request.answer = { ...moment, option: selected, by: answered_by };
}

/** Number 0 is the first notice, and no reminder. */
function gateNotified(visit: VisitRecord, { reminder }: EventData<"gate_notified">, moment: MomentOfDrive): void {
  visit.isNotified = true;
  const { history } = visit;
  if (history && reminder > 0) history.reminders = keep(history.reminders, moment);
}

function questionsPresented(visit: VisitRecord, data: EventData<"questions_presented">, moment: MomentOfDrive): void {
  const { prompt, questions, deadline, about, asked_at } = data;
  visit.asked = { at: asked_at };
  visit.deadline = deadline === undefined ? undefined : Date.parse(deadline);
  visit.questions = new Map(questions.map((one) => [String(one.id), questionText(prompt, one, about)]));
  // Answers to questions that are still the same stay; who gave them all is known when the list is done.
  if (visit.answer?.kind === "questions") visit.answer = { kind: "questions", answers: visit.answer.answers };
  const { history } = visit;
  if (history) history.asked = keep(history.asked, moment);
}

function questionAnswered(visit: VisitRecord, { id, answer, source }: EventData<"questions_answered">): void {
  const before = visit.answer?.kind === "questions" ? visit.answer.answers : {};
  const question = visit.questions?.get(id);
  visit.answer = { kind: "questions", answers: { ...before, [id]: { answer, source, question } } };
}

function questionsCompleted(
  visit: VisitRecord | undefined,
  { outcome, answered_by }: EventData<"questions_completed">,
  moment: MomentOfDrive,
): void {
  if (!visit) return;
  const answers = visit.answer?.kind === "questions" ? visit.answer.answers : {};
  visit.answer = { kind: "questions", answers, outcome, answered_by };
  const { history } = visit;
  if (history) history.answers = keep(history.answers, moment);
}
