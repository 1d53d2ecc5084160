import type { StepType } from "../step-type.ts";
import { type QuestionsStep, questionsStep } from "./schema.ts";

export const questions = {
  description: "asks a person a list of questions",
  schema: questionsStep,
} as const satisfies StepType<QuestionsStep>;
