// How each kind of step does its work.

export { isAboutOutput } from "./error-channel.ts";
export * from "./executor.ts";
export { chosenOption, type GateAnswer, type GateOutput, gateOutput, type PreparedGate } from "./human-gate.ts";
export { toJsonSchema } from "./json-schema.ts";
export { schemaViolation, violations } from "./output-schema.ts";
export { endProcessGroup, outsideWorld } from "./outside.ts";
export type { PreparedQuestions } from "./questions.ts";
export { type QuestionsAnswers, type QuestionsOutput, questionsOutput } from "./questions-output.ts";
export { EXECUTORS, executorOf } from "./registry.ts";
export { type PreparedTermination, terminateOutput } from "./terminate.ts";
export { renderMapping, renderText, renderValue } from "./values.ts";
export type { PreparedWorkflow } from "./workflow.ts";
export * from "./world.ts";
