// Retry, breakers, decisions, dead letters and policies as a library: each of them works alone.
export {
  BREAKER_DEFAULTS,
  type BreakerSettings,
  type BreakerState,
  type BreakerStatus,
  type Probe,
  type Transition,
} from "./breaker-state.ts";
export {
  type BreakerAnswer,
  type BreakerCell,
  type BreakerWorld,
  CircuitBreaker,
  CircuitOpenError,
  circuitOpen,
  healthOf,
  type Pass,
} from "./circuit-breaker.ts";
export type {
  DeadLetter,
  LetterAttempt,
  LetterBody,
  LetterFailure,
} from "./dead-letter.ts";
export { ErrorHandler, type FailureCircumstances, type Verdict } from "./error-handler.ts";
export {
  AgentAvailability,
  MaxConcurrentTasks,
  PhaseGate,
  type PhaseGateSettings,
  SpendLimit,
  TaskTimeout,
} from "./policies.ts";
export type { AgentState, Policy, PolicyContext, PolicyResult } from "./policy.ts";
export { PolicyEngine, PolicyViolationError } from "./policy.ts";
export { RETRY_DEFAULTS, RetryPolicy, type RetrySettings } from "./retry-policy.ts";
export type { AskableBreaker, SharedPass } from "./shared-breaker.ts";
