// `import … from "segno"`: the library. Importing it loads next to nothing; each function loads what it needs.

export {
  AgentAvailability,
  BREAKER_DEFAULTS,
  CircuitBreaker,
  CircuitOpenError,
  ErrorHandler,
  MaxConcurrentTasks,
  PhaseGate,
  type Policy,
  type PolicyContext,
  PolicyEngine,
  type PolicyResult,
  PolicyViolationError,
  RETRY_DEFAULTS,
  RetryPolicy,
  type RetrySettings,
  SpendLimit,
  TaskTimeout,
} from "./engine/guard/resilience/index.ts";
export type {
  Answer,
  Asker,
  DialogAnswer,
  DialogQuestion,
  GateAnswer,
  GateOption,
  GateQuestion,
  Question,
  QuestionItem,
  QuestionList,
  QuestionsAnswer,
} from "./engine/people/ask.ts";
export {
  type Envelope,
  type Frame,
  failed,
  matches,
  type Outcome,
  type Raised,
  type RaisedAt,
  raised,
  succeeded,
} from "./errors/index.ts";
export { raise } from "./errors/raise.ts";
export type { Clock } from "./library/clock.ts";
export { definePolicy, type PolicySpec, type PolicyVerdict } from "./library/define-policy.ts";
export { defineProvider, type ProviderSpec, type ProviderTurn } from "./library/define-provider.ts";
export { defineStep } from "./library/define-step.ts";
export type { RunEvent } from "./library/event.ts";
export type { Options } from "./library/options.ts";
export type { JsonSchema, OwnStep, StepAttempt, StepSpec } from "./library/own-step.ts";
export { resume, run } from "./library/run.ts";
export type { ResumeOptions, RunOptions } from "./library/run-options.ts";
export { openStore, type RunSummary, type Store } from "./library/store.ts";
export { loadWorkflow, validate, type Workflow, type WorkflowInput } from "./library/workflow.ts";
export type { Hooks, Message, Provider, ProviderCall, ToolCall, ToolReply, Turn } from "./providers/provider.ts";
export type { Entry, Result, ResultGate, ResultStatus, StepReport } from "./results/result.ts";
