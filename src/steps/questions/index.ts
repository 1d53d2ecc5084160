// The step type `questions`: a list of questions to a person. The engine asks them, so it has no executor.
import { onlyFields, type StepType } from "../step-type.ts";
import { type QuestionsStep, questionsStep } from "./schema.ts";

const TEXTS = ["prompt", "questions.*.text", "questions.*.hint", "questions.*.choices", "questions.*.default"];

export const questions = {
  description: "asks a person a list of questions",
  schema: questionsStep,
  output: "`{answers, items, transcript, answered_count, skipped_count, answered_any, outcome}`",
  templates: TEXTS,
  seesAll: TEXTS,
  inputsByName: true,
  asksPeople: true,
  raises: ({ timeout }) => [
    // An answer may come from anywhere, and need not be one that was offered.
    "internal.bad_value",
    ...(timeout !== undefined ? ["gate.timeout"] : []),
  ],
  shape: () =>
    onlyFields("answers", "items", "transcript", "answered_count", "skipped_count", "answered_any", "outcome"),
  occupies: "nothing",
  answeredBy: "questions",
} as const satisfies StepType<QuestionsStep>;
