// `type: questions`: asks a person a list of questions. Answers that were given before a crash are not asked for again.
import { failed } from "../../base/errors/index.ts";
import { questionText } from "../../base/events/visits/recorded.ts";
import type { QuestionsStep } from "../../language/schema/index.ts";
import { type PreparedQuestions, questions, questionsOutput } from "../../steps/questions/prepare.ts";
import type { WorkflowFrame } from "../frame.ts";
import { scopeOf } from "../visit/step-work.ts";
import { ownWork, type Work, type WorkAttempt, type WorkEnd } from "../visit/work.ts";
import { whyNotBy } from "./approval.ts";
import type { GivenAnswer, QuestionList, QuestionsAnswer } from "./ask.ts";
import { askInTime, inputsAskedAbout, recordedAnswerer, shownWaiting, type Waited, waitingOf } from "./waiting.ts";

export function questionsWork(frame: WorkflowFrame, step: QuestionsStep): Work {
  return {
    ...ownWork(step, questions.version),
    prepare: (scope, locals) => questions.prepare(step, scopeOf(frame, step.name, scope, locals)),
    hashed: (prepared) => ({ ...(prepared as PreparedQuestions), ...inputsAskedAbout(frame, step) }),
    run: (prepared, attempt) => ask(frame, step, prepared as PreparedQuestions, attempt),
    leadsTo: (prepared, output) =>
      (output as { readonly outcome: string }).outcome === "aborted"
        ? calledOff(prepared as PreparedQuestions)
        : undefined,
  };
}

const calledOff = ({ abort_route }: PreparedQuestions): string => abort_route ?? "$end";

async function ask(
  frame: WorkflowFrame,
  step: QuestionsStep,
  prepared: PreparedQuestions,
  attempt: WorkAttempt,
): Promise<WorkEnd> {
  const { abort_route: _, isNumbered: _isNumbered, ...asked } = prepared;
  const waiting = await waitingOf(frame, step, attempt.key);
  const question: QuestionList = { kind: "questions", node: step.name, key: attempt.key, ...asked, ...waiting };
  attempt.emit("questions_presented", {
    agent_name: step.name,
    key: attempt.key,
    ...(prepared.prompt === undefined ? {} : { prompt: prepared.prompt }),
    questions: prepared.questions.map((one) => ({ ...one })),
    ...shownWaiting(waiting),
  });
  const given = givenBefore(frame, prepared, question);
  const recorded = new Map(given.map((one) => [one.id, one]));
  const answered = (one: GivenAnswer): void => {
    const { id, answer, source } = one;
    const before = recorded.get(id);
    if (before?.answer === answer && before.source === source) return;
    recorded.set(id, one);
    attempt.emit("questions_answered", { agent_name: step.name, key: attempt.key, id, answer, source });
  };
  const waited: Waited<QuestionsAnswer> =
    frame.engine.skipGates && whyNotBy(question, skipped(prepared)) === undefined
      ? { type: "answered", answer: skipped(prepared) }
      : await askInTime(frame, step, question, attempt, { progress: { given, answered }, anew: !frame.reuse });
  if (attempt.signal.aborted) return { type: "cancelled", node: step.name };
  if (waited.type === "timeout") {
    const { error } = waited;
    attempt.emit("questions_failed", { agent_name: step.name, error_type: error.kind, message: error.message });
    return { type: "outcome", outcome: failed(error) };
  }
  const answer = waited.type === "answered" ? waited.answer : undefined;
  if (!answer) return { type: "paused", question, path: frame.path };
  answer.answers.forEach(answered);
  const output = questionsOutput(prepared, answer);
  attempt.emit("questions_completed", {
    agent_name: step.name,
    key: attempt.key,
    outcome: output.outcome,
    answered_count: output.answered_count,
    skipped_count: output.skipped_count,
    ...recordedAnswerer(answer),
  });
  // Calling the whole list off leads to `abort_route`; the routes are not read.
  const to = answer.outcome === "aborted" ? calledOff(prepared) : undefined;
  return { type: "outcome", outcome: { ok: true, output }, ...(to && !attempt.member ? { to } : {}) };
}

/** Answers of an earlier drive, from the first question on, as long as the questions are the same. */
function givenBefore(
  frame: WorkflowFrame,
  prepared: PreparedQuestions,
  { key, about }: Pick<QuestionList, "key" | "about">,
): GivenAnswer[] {
  const recorded = frame.reuse ? frame.engine.durable.recall.get(key)?.answer : undefined;
  if (recorded?.kind !== "questions") return [];
  const given: GivenAnswer[] = [];
  for (const question of prepared.questions) {
    const { id } = question;
    const one = recorded.answers[id];
    if (one?.question !== questionText(prepared.prompt, question, about)) break;
    given.push({ id, answer: String(one.answer), source: one.source as GivenAnswer["source"] });
  }
  return given;
}

/** `--skip-gates`: defaults where there are some, the rest is skipped. */
function skipped(prepared: PreparedQuestions): QuestionsAnswer {
  return {
    kind: "questions",
    answers: prepared.questions.map(({ id, default: answer }) => ({
      id,
      answer: answer ?? "",
      source: answer === undefined ? "skipped" : "default",
    })),
    outcome: prepared.isNumbered ? "skipped_remaining" : "completed",
    by: "skip-gates",
  };
}
