// `import … from "segno"`: the library. Importing it loads next to nothing; each function loads what it needs. The functions
// of 0.2 stay below the client: as calls of it they would be more lines, and name other functions in hints and messages.

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
export type { JsonSchema } from "./errors/mapping.ts";
export { raise } from "./errors/raise.ts";
export {
  type ErrorsAnswer,
  type ErrorsOptions,
  errors,
  type GraphAnswer,
  type GraphOptions,
  graph,
  type HandledBy,
  type PlanAnswer,
  type PlannedStep,
  type PlanOptions,
  plan,
  type RaiseSource,
  schema,
} from "./library/analysis.ts";
export { type Breaker, type BreakersAnswer, breakers } from "./library/breakers.ts";
export type { Answered, Camel } from "./library/client/camel.ts";
export type { CheckResult, RunError, RunResult } from "./library/client/run-result.ts";
export { createSegno, type Segno, type SegnoOptions, type StartOptions } from "./library/client/segno.ts";
export { NotStartedError, type StartedRun } from "./library/client/started-run.ts";
export {
  defineGrader,
  definePolicy,
  defineProvider,
  defineStep,
  type GraderSpec,
  type GraderVerdict,
  type PolicySpec,
  type PolicyVerdict,
  type ProviderSpec,
  type ProviderTurn,
  type SchemaSpec,
} from "./library/define-step.ts";
export {
  type EvalAnswer,
  type EvalComparison,
  type EvalGrade,
  type EvalOptions,
  type EvalRate,
  type EvalRow,
  type EvalSummary,
  type GradedRow,
  type GradeVerdict,
  type OwnGrader,
  runEval,
} from "./library/evals.ts";
export type { EventData, EventOf, EventType, Listener, RunEvent } from "./library/event.ts";
export {
  type ExplainedRun,
  type ExplainOptions,
  type Explanation,
  explain,
  type ResumePlan,
  type TracedRun,
  trace,
} from "./library/explain.ts";
export { type AnswerOptions, type GatesAnswer, gates } from "./library/gates.ts";
export {
  type Letter,
  type LetterSelection,
  type LettersAnswer,
  letters,
  type RetryAnswer,
  type WholeLetter,
} from "./library/letters.ts";
export type { Options, Store, StoreOptions } from "./library/options.ts";
export { asRaised } from "./library/resilience/as-raised.ts";
export { DeadLetterQueue, type DeadLetterQueueOptions } from "./library/resilience/dead-letter-queue.ts";
export {
  ActingErrorHandler as ErrorHandler,
  type BreakerOptions,
  type ErrorHandlerOptions,
  type FailedWork,
} from "./library/resilience/error-handler.ts";
export type { QueuedLetter } from "./library/resilience/letter-shelf.ts";
export { type RetryOptions, RollingRetryPolicy as RetryPolicy } from "./library/resilience/retry-policy.ts";
export { resume, run } from "./library/run.ts";
export type {
  Answer,
  Asker,
  Clock,
  DialogAnswer,
  DriveOptions,
  GateAnswer,
  QuestionsAnswer,
  ResumeOptions,
  RunOptions,
} from "./library/run-options.ts";
export {
  type Beat,
  cancel,
  type EventsOptions,
  events,
  type PruneAnswer,
  type PruneOptions,
  prune,
  type ReplayOptions,
  type RunsAnswer,
  type RunsOptions,
  replay,
  runs,
  show,
} from "./library/runs.ts";
export {
  type BacktestAnswer,
  type BacktestOptions,
  backtest,
  type ForecastAnswer,
  type ForecastOptions,
  type ForecastShares,
  forecast,
  type GenerateAnswer,
  type GenerateOptions,
  generateScenarios,
  type RecordAnswer,
  type RecordOptions,
  type RunVerdict,
  record,
  type ScenarioReport,
  type Share,
  type TestAnswer,
  type TestOptions,
  test,
} from "./library/scenarios.ts";
export type { StandardResult, StandardSchema } from "./library/standard-schema.ts";
export { openStore } from "./library/store.ts";
export type { FireOptions, FiringsAnswer, Trigger, TriggerFiring, TriggersAnswer } from "./library/triggers.ts";
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
} from "./library/upkeep.ts";
export { loadWorkflow, type ValidateOptions, validate, type Workflow, type WorkflowInput } from "./library/workflow.ts";
export * from "./library/workflow-types.ts";
export type { Hooks, Message, Provider, ProviderCall, ToolCall, ToolReply, Turn } from "./providers/provider.ts";
export type { Entry, ExitCode, Head, Place, Result, ResultGate, ResultStatus, StepReport } from "./results/result.ts";
export type { RunSummary, RunSummaryStatus } from "./results/run-summary.ts";
export type { Chapter, Trouble } from "./services/explain/story.ts";
export type { OwnStep, StepAttempt, StepSpec } from "./services/own-steps/own-step.ts";
export type { SpanTree } from "./services/trace/span.ts";
