// From a run's state to the object that comes back. `schema.ts` is not here: it needs zod, and only `segno schema` needs it.
export { resultOf } from "./build.ts";
export type { ErrorPlace, ResultContext } from "./entry.ts";
export { answerRulesText, howToAnswer } from "./gate.ts";
export { COMMAND_LINE, commandLineReader, type Reader, type Wanted } from "./reader.ts";
export { EventExit, learnSecrets, redactEvent } from "./redact-event.ts";
export {
  calledOffResult,
  crashResult,
  type FindingLike,
  findingEntries,
  head,
  inputEntry,
  invalidResult,
  type Refusal,
  refusedResult,
  validResult,
} from "./refused.ts";
export * from "./result.ts";
export { EXIT_CODES } from "./result.ts";
export { listedStatusWord, resultStatusWord, statusWord } from "./status-word.ts";
export { REUSED_BEHIND_RETRY } from "./troubles.ts";
