// A visit's share of errors (raised, read by routes, handed to another step, handled there, tried again), and of what people
// were asked and answered.
import { askingKey, nodePath } from "../key.ts";
import type { EventData, RunEvent } from "../registry.ts";
import { questionText } from "./recorded.ts";
import { OpenFailures } from "./verdicts.ts";
import { keepFact, keepHandled, keepReading, routesRaised } from "./visit-history.ts";
import type { VisitIndex } from "./visit-index.ts";
import { keep, type MomentOfDrive, type VisitRecord } from "./visit-record.ts";

type Path = readonly string[];
type ErrorEventType =
  | "error_raised"
  | "error_routed"
  | "error_unhandled"
  | "error_recovered"
  | "error_escalated"
  | "dead_lettered"
  | "escalation_failed"
  | "retry_scheduled";

export class VisitErrors {
  readonly failures = new OpenFailures();
  /** Visits whose error was handed to a step that has not got to its end yet, by its path and name. */
  readonly #handedTo = new Map<string, readonly VisitRecord[]>();

  constructor(private readonly visits: VisitIndex) {}

  heard(event: Extract<RunEvent, { readonly type: ErrorEventType }>, moment: MomentOfDrive): void {
    const { path } = event;
    switch (event.type) {
      case "error_raised":
        this.#raised(path, event.data, moment);
        break;
      case "error_routed":
        this.#routed(path, event.data, moment);
        break;
      case "error_unhandled": {
        const { key, node, considered } = event.data;
        keepReading(this.visits.find(path, key, node), considered, undefined, moment);
        break;
      }
      case "error_recovered": {
        const visit = this.visits.find(path, event.data.key, event.data.node);
        this.failures.settle(visit, "to");
        keepHandled(visit, moment);
        if (visit?.group === undefined) this.gotToItsEnd(path, event.data.by, moment);
        keepFact(visit, "recoveries", { ...moment, by: event.data.by });
        break;
      }
      case "error_escalated":
      case "dead_lettered":
        this.failures.escalateOrKeep(this.visits.get(event.data.key), true);
        break;
      case "escalation_failed":
        this.failures.escalateOrKeep(this.visits.get(event.data.key), undefined);
        break;
      case "retry_scheduled":
        this.#retryScheduled(path, event.data, moment);
        break;
    }
  }

  #raised(path: Path, { key, node, error }: EventData<"error_raised">, moment: MomentOfDrive): void {
    const visit = this.visits.find(path, key, node);
    if (!visit) return;
    this.failures.raised(visit, key, error);
    routesRaised(visit, moment);
    keepFact(visit, "errors", { ...moment, error });
  }

  #routed(path: Path, data: EventData<"error_routed">, moment: MomentOfDrive): void {
    const { action, to, considered = [] } = data;
    const visit = this.visits.find(path, data.key, data.node);
    keepReading(visit, considered, data, moment);
    if (visit?.history && visit.group === undefined && to !== undefined) this.#handed(path, visit, to);
    this.failures.settle(visit, action === "retry" && to === undefined ? "again" : action);
    if (action === "to" || (action === "retry" && to !== undefined)) this.failures.settleMembers(path, data.node);
  }

  /** What was handed to a step that raises too is handed on with its error. */
  #handed(path: Path, visit: VisitRecord, to: string): void {
    const own = nodePath(path, visit.node);
    const handedOn = this.#handedTo.get(own) ?? [];
    this.#handedTo.delete(own);
    const place = nodePath(path, to);
    this.#handedTo.set(place, [...(this.#handedTo.get(place) ?? []), ...handedOn, visit]);
  }

  /** A step that errors were handed to is done: they are handled. */
  gotToItsEnd(path: Path, node: string, moment: MomentOfDrive): void {
    const place = nodePath(path, node);
    for (const visit of this.#handedTo.get(place) ?? []) keepHandled(visit, moment);
    this.#handedTo.delete(place);
  }

  #retryScheduled(path: Path, scheduled: EventData<"retry_scheduled">, moment: MomentOfDrive): void {
    const visit = this.visits.at(path, { key: scheduled.key, agent_name: scheduled.node });
    const retry = { ...moment, scheduled };
    visit.retries = keep(visit.retries, retry);
    visit.pendingRetry = retry;
    this.failures.settle(visit, scheduled.via === undefined ? "again" : "retry");
  }
}

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
  keepFact(visit, "asked", at);
  keepFact(visit.askedBy, "requests", { ...at, key: visit.key, prompt, answer: undefined });
}

function gateResolved(visit: VisitRecord, data: EventData<"gate_resolved">, moment: MomentOfDrive): void {
  const { selected_option: selected, route, additional_input, answered_by } = data;
  const { at } = moment;
  visit.answer = { kind: "gate", question: visit.question, selected, route, additional_input, answered_by, at };
  visit.asked = undefined;
  keepFact(visit, "answers", { ...moment, option: selected });
  const request = visit.askedBy?.history?.requests.findLast(({ key }) => key === visit.key);
  if (request) request.answer = { ...moment, option: selected, by: answered_by };
}

/** Number 0 is the first notice, and no reminder. */
function gateNotified(visit: VisitRecord, { reminder }: EventData<"gate_notified">, moment: MomentOfDrive): void {
  visit.isNotified = true;
  if (reminder > 0) keepFact(visit, "reminders", moment);
}

function questionsPresented(visit: VisitRecord, data: EventData<"questions_presented">, moment: MomentOfDrive): void {
  const { prompt, questions, deadline, about, asked_at } = data;
  visit.asked = { at: asked_at };
  visit.deadline = deadline === undefined ? undefined : Date.parse(deadline);
  visit.questions = new Map(questions.map((one) => [String(one.id), questionText(prompt, one, about)]));
  // Answers to questions that are still the same stay; who gave them all is known when the list is done.
  if (visit.answer?.kind === "questions") visit.answer = { kind: "questions", answers: visit.answer.answers };
  keepFact(visit, "asked", moment);
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
  keepFact(visit, "answers", moment);
}
