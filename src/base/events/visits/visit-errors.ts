// A visit's share of errors (raised, read by routes, handed to another step, handled there, tried again), and of what people
// were asked and answered.
import { askingKey, nodePath } from "../key.ts";
import type { EventData } from "../registry.ts";
import { questionText } from "./recorded.ts";
import { OpenFailures } from "./verdicts.ts";
import { keepFact, keepHandled, keepReading, routesRaised } from "./visit-history.ts";
import type { VisitIndex } from "./visit-index.ts";
import { type Hears, keep, type MomentOfDrive, type VisitRecord } from "./visit-record.ts";

type Path = readonly string[];

export class VisitErrors {
  readonly failures = new OpenFailures();
  /** Visits whose error was handed to a step that has not got to its end yet, by its path and name. */
  readonly #handedTo = new Map<string, readonly VisitRecord[]>();

  constructor(private readonly visits: VisitIndex) {}

  readonly heard: Hears = {
    error_raised: ({ path, data: { key, node, error } }, moment) => {
      const visit = this.visits.find(path, key, node);
      if (!visit) return;
      this.failures.raised(visit, key, error);
      routesRaised(visit, moment);
      keepFact(visit, "errors", { ...moment, error });
    },
    error_routed: ({ path, data }, moment) => {
      const { action, to, considered = [] } = data;
      const visit = this.visits.find(path, data.key, data.node);
      keepReading(visit, considered, data, moment);
      if (visit?.history && visit.group === undefined && to !== undefined) this.#handed(path, visit, to);
      this.failures.settle(visit, action === "retry" && to === undefined ? "again" : action);
      if (action === "to" || (action === "retry" && to !== undefined)) this.failures.settleMembers(path, data.node);
    },
    error_unhandled: ({ path, data: { key, node, considered } }, moment) =>
      keepReading(this.visits.find(path, key, node), considered, undefined, moment),
    error_recovered: ({ path, data: { key, node, by } }, moment) => {
      const visit = this.visits.find(path, key, node);
      this.failures.settle(visit, "to");
      keepHandled(visit, moment);
      if (visit?.group === undefined) this.gotToItsEnd(path, by, moment);
      keepFact(visit, "recoveries", { ...moment, by });
    },
    error_escalated: ({ data: { key } }) => this.failures.escalateOrKeep(this.visits.get(key), true),
    dead_lettered: ({ data: { key } }) => this.failures.escalateOrKeep(this.visits.get(key), true),
    escalation_failed: ({ data: { key } }) => this.failures.escalateOrKeep(this.visits.get(key), undefined),
    retry_scheduled: ({ path, data: scheduled }, moment) => {
      const visit = this.visits.at(path, { key: scheduled.key, agent_name: scheduled.node });
      const retry = { ...moment, scheduled };
      visit.retries = keep(visit.retries, retry);
      visit.pendingRetry = retry;
      this.failures.settle(visit, scheduled.via === undefined ? "again" : "retry");
    },
  };

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
}

/** What people were asked, and what they answered. */
export const heardOfPeople = (visits: VisitIndex): Hears => ({
  gate_presented({ path, data }, moment) {
    const visit = asking(visits, path, data);
    const { prompt, options, about } = data;
    isAsked(visit, data, moment);
    visit.question = { prompt, options, about };
    // Asked again, as by a resume from here: the answer of before is none to it.
    visit.answer = undefined;
    keepFact(visit.askedBy, "requests", { ...moment, key: visit.key, prompt, answer: undefined });
  },
  gate_resolved({ path, data }, moment) {
    const visit = visits.at(path, data);
    const { selected_option: selected, route, additional_input, answered_by } = data;
    const { at } = moment;
    visit.answer = { kind: "gate", question: visit.question, selected, route, additional_input, answered_by, at };
    visit.asked = undefined;
    keepFact(visit, "answers", { ...moment, option: selected });
    const request = visit.askedBy?.history?.requests.findLast(({ key }) => key === visit.key);
    if (request) request.answer = { ...moment, option: selected, by: answered_by };
  },
  gate_notified({ path, data }, moment) {
    const visit = visits.at(path, data);
    visit.isNotified = true;
    // Number 0 is the first notice, and no reminder.
    if (data.reminder > 0) keepFact(visit, "reminders", moment);
  },
  questions_presented({ path, data }, moment) {
    const visit = visits.at(path, data);
    const { prompt, questions, about } = data;
    isAsked(visit, data, moment);
    visit.questions = new Map(questions.map((one) => [String(one.id), questionText(prompt, one, about)]));
    // Answers to questions that are still the same stay; who gave them all is known when the list is done.
    if (visit.answer?.kind === "questions") visit.answer = { kind: "questions", answers: visit.answer.answers };
  },
  questions_answered({ path, data }) {
    const visit = visits.at(path, data);
    const { id, answer, source } = data;
    const question = visit.questions?.get(id);
    visit.answer = { kind: "questions", answers: { ...answersOf(visit), [id]: { answer, source, question } } };
  },
  questions_completed({ path, data: { key, agent_name, outcome, answered_by } }, moment) {
    const visit = visits.find(path, key, agent_name);
    if (!visit) return;
    visit.answer = { kind: "questions", answers: answersOf(visit), outcome, answered_by };
    keepFact(visit, "answers", moment);
  },
});

const answersOf = ({ answer }: VisitRecord) => (answer?.kind === "questions" ? answer.answers : {});

function isAsked(
  visit: VisitRecord,
  { asked_at, deadline }: Pick<EventData<"gate_presented">, "asked_at" | "deadline">,
  moment: MomentOfDrive,
): void {
  visit.asked = { at: asked_at };
  visit.deadline = deadline === undefined ? undefined : Date.parse(deadline);
  keepFact(visit, "asked", moment);
}

/** Where a question is kept: with its step, or, of what an agent asks to be allowed, beside the visit that asks. */
function asking(visits: VisitIndex, path: Path, data: EventData<"gate_presented">): VisitRecord {
  const visit = visits.at(path, data);
  const asker = visits.get(askingKey(data.key));
  // A step may be called permission1.
  if (asker && asker.node === data.agent_name) visit.askedBy = asker;
  return visit;
}
