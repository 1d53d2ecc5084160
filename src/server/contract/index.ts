// What the page and the server agree on. The page takes the types; the schemas stay in the server and in tests.
export type { AddressName, AnswerOf } from "./addresses.ts";
export type { BreakerJson, BreakersJson, ResetBody } from "./breakers.ts";
export type { ErrorGroupJson, ErrorsJson, ErrorsQuery } from "./errors.ts";
export type { EventsJson, EventsQuery } from "./events.ts";
export type { ExampleBody, ExampleJson } from "./examples.ts";
export type { ExplainJson } from "./explain.ts";
export type { AnswerBody, AnsweredJson, GateJson, GatesJson } from "./gates.ts";
export type { HealthJson } from "./health.ts";
export type { KeyframeIndexJson, KeyframeJson } from "./keyframes.ts";
export type {
  LettersJson,
  LettersQuery,
  ListedLetterJson,
  RetriedJson,
  RetryBody,
  WholeLetterJson,
} from "./letters.ts";
export type { LimitJson, LimitsJson, ResetWaitJson } from "./limits.ts";
export type { FirstJson, ProblemJson } from "./problem.ts";
export type { BannerJson, CommandJson, RunSnapshotJson, TakenRouteJson } from "./run.ts";
export type { DayJson, RunRowJson, RunsJson, RunsQuery } from "./runs.ts";
export type { SessionBody, SessionJson, SessionNowJson } from "./session.ts";
export type { AttemptJson, ErrorLensJson, RouteReadJson, SaidJson, StepJson, StepQuery, VisitJson } from "./step.ts";
export type {
  DriverMessageJson,
  EventsMessageJson,
  GapMessageJson,
  PingMessageJson,
  RunsMessageJson,
  StreamMessageName,
  StreamProblemJson,
} from "./stream.ts";
export type { BigValueJson, RunStatusJson } from "./values.ts";
export type {
  InputFieldJson,
  PlanBody,
  PlanJson,
  WorkflowJson,
  WorkflowSummaryJson,
  WorkflowsJson,
} from "./workflows.ts";
export type { ActedJson, CancelBody, ResumeBody, StartBody } from "./writes.ts";
