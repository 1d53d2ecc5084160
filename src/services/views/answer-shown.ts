// What people were asked on a visit, and what they answered: who did, when, and to what.
import type { RunState } from "../../events/state/state.ts";
import { askedIn, type RecordedAnswer } from "../../events/visits/recorded.ts";
import type { VisitRecord } from "../../events/visits/visit-record.ts";
import { gateId } from "../commands/gates-shown.ts";

/** What waits for an answer: the step's own question, or what its agent asks to be allowed. */
export function waitingQuestion(
  runId: string,
  { gates }: Pick<RunState, "gates">,
  visit: VisitRecord | undefined,
): Record<string, unknown> | null {
  const keys = visit ? [visit.key, ...(visit.history?.requests ?? []).map(({ key }) => key)] : [];
  const gate = keys.map((key) => gates.get(key)).find((one) => one !== undefined);
  if (!gate) return null;
  const { kind, prompt, options, questions } = gate;
  return { kind, prompt, options, questions, gate_id: gateId(runId, gate.key) };
}

export function shownAnswer(visit: VisitRecord | undefined) {
  if (!visit?.answer) return null;
  const at = visit.history?.answers.at(-1)?.at ?? null;
  const { answer } = visit;
  if (answer.kind === "questions") return shownAnswers(visit, answer, at);
  const { kind, question, selected, route, additional_input, answered_by } = answer;
  const { prompt = null, options = [] } = question ?? {};
  return { kind, question: { prompt, options }, selected, route, additional_input, answered_by, at };
}

/** The questions as they were asked, in their order, each with its answer: none yet, or none to this one, is null. */
function shownAnswers(
  { questions = new Map<string, string>() }: Pick<VisitRecord, "questions">,
  { kind, answers, outcome, answered_by }: Extract<RecordedAnswer, { readonly kind: "questions" }>,
  at: string | null,
) {
  const asked = [...questions].map(([id, text]) => {
    const given = answers[id]?.question === text ? answers[id] : undefined;
    return { ...askedIn(text), answer: given?.answer ?? null, source: given?.source ?? null };
  });
  return {
    kind,
    prompt: asked[0]?.prompt ?? null,
    questions: asked.map(({ question, answer, source }) => ({ ...question, answer, source })),
    outcome: outcome ?? null,
    answered_by: answered_by ?? null,
    at: outcome === undefined ? null : at,
  };
}

/** What an agent asked to be allowed, each request once: a drive that goes on asks what is open again. */
export function shownRequests(visit: VisitRecord | undefined) {
  const requests = visit?.history?.requests ?? [];
  const latest = new Map(requests.map((request) => [request.key, request]));
  return [...latest.values()].map(({ key, prompt, at, answer }) => ({
    prompt,
    asked_at: requests.find((first) => first.key === key && first.prompt === prompt)?.at ?? at,
    selected: answer?.option ?? null,
    answered_by: answer?.by ?? null,
    at: answer?.at ?? null,
  }));
}
