// `import … from "segno"`: the library. Importing it loads next to nothing; each function loads what it needs. The functions
// of 0.2 stay below the client: as calls of it they would be more lines, and name other functions in hints and messages.
// docs/library.md lists every name; a test holds it against this file, so what a file with a star exports is public.

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
} from "./base/errors/index.ts";
export type { JsonSchema } from "./base/errors/mapping.ts";
export { raise } from "./base/errors/raise.ts";
export type {
  Entry,
  ExitCode,
  Head,
  Place,
  Result,
  ResultGate,
  ResultStatus,
  RunSummary,
  RunSummaryStatus,
  StepReport,
} from "./base/results/result.ts";
export {
  AgentAvailability,
  BREAKER_DEFAULTS,
  CircuitBreaker,
  CircuitOpenError,
  MaxConcurrentTasks,
  PhaseGate,
  type Policy,
  type PolicyContext,
  PolicyEngine,
  type PolicyResult,
  PolicyViolationError,
  RETRY_DEFAULTS,
  type RetrySettings,
  SpendLimit,
  TaskTimeout,
} from "./engine/guard/resilience/index.ts";
export type {
  DialogQuestion,
  GateOption,
  GateQuestion,
  Question,
  QuestionItem,
  QuestionList,
} from "./engine/people/ask.ts";
export * from "./features/resilience-alone/as-raised.ts";
export * from "./features/resilience-alone/dead-letter-queue.ts";
export {
  ActingErrorHandler as ErrorHandler,
  type BreakerOptions,
  type ErrorHandlerOptions,
  type FailedWork,
} from "./features/resilience-alone/error-handler.ts";
export type { QueuedLetter } from "./features/resilience-alone/letter-shelf.ts";
export { type RetryOptions, RollingRetryPolicy as RetryPolicy } from "./features/resilience-alone/retry-policy.ts";
export type { SpanTree } from "./features/telemetry/trace/span.ts";
export type {
  Answered,
  Camel,
  CheckResult,
  RunError,
  RunResult,
  StartedRun,
} from "./frontends/library/client/answers.ts";
export { NotStartedError } from "./frontends/library/client/answers.ts";
export * from "./frontends/library/client/segno.ts";
export * from "./frontends/library/define-step.ts";
export type {
  Answer,
  Asker,
  Clock,
  DialogAnswer,
  DriveOptions,
  EventData,
  EventOf,
  EventType,
  GateAnswer,
  Listener,
  Options,
  QuestionsAnswer,
  ResumeOptions,
  RunEvent,
  RunOptions,
  Store,
  StoreOptions,
} from "./frontends/library/options.ts";
export {
  type AnswerOptions,
  type Breaker,
  type BreakersAnswer,
  breakers,
  type FireOptions,
  type FiringsAnswer,
  type GatesAnswer,
  gates,
  type Letter,
  type LetterSelection,
  type LettersAnswer,
  letters,
  type RetryAnswer,
  type Trigger,
  type TriggerFiring,
  type TriggersAnswer,
  type WholeLetter,
} from "./frontends/library/resources.ts";
export * from "./frontends/library/run.ts";
export * from "./frontends/library/runs.ts";
export * from "./frontends/library/scenarios.ts";
export type { StandardResult, StandardSchema } from "./frontends/library/standard-schema.ts";
export type {
  Percentiles,
  StatsAnswer,
  StatsOptions,
  StepStats,
  WorkflowStats,
} from "./frontends/library/stats.ts";
export { openStore } from "./frontends/library/store.ts";
export {
  type DoctorAnswer,
  type DoctorOptions,
  doctor,
  type InitAnswer,
  init,
  type RepairAllAnswer,
  type RepairAllOptions,
  type RepairAnswer,
  type RepairOptions,
  repair,
} from "./frontends/library/upkeep.ts";
export {
  type ErrorsAnswer,
  type ErrorsOptions,
  errors,
  type GraphAnswer,
  type GraphOptions,
  graph,
  type HandledBy,
  loadWorkflow,
  type PlanAnswer,
  type PlannedStep,
  type PlanOptions,
  plan,
  type RaiseSource,
  schema,
  type ValidateOptions,
  validate,
  type Workflow,
  type WorkflowInput,
} from "./frontends/library/workflow.ts";
export * from "./frontends/library/workflow-types.ts";
export type { Hooks, Message, Provider, ProviderCall, ToolCall, ToolReply, Turn } from "./providers/provider.ts";
export type { Chapter, Trouble } from "./services/explain/story.ts";
export type { OwnStep, StepAttempt, StepSpec } from "./services/own-steps/own-step.ts";
