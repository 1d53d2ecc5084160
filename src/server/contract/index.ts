// What the page and the server agree on. The page takes the types; the schemas stay in the server and in tests.
export type { AddressName, AnswerOf } from "./addresses.ts";
export type { AnswerBody, AnsweredJson, GateJson, GatesJson } from "./gates.ts";
export type {
  ErrorGroupJson,
  ErrorsJson,
  ErrorsQuery,
  LettersJson,
  LettersQuery,
  ListedLetterJson,
  RetriedJson,
  RetryBody,
  WholeLetterJson,
} from "./letters.ts";
export type {
  BreakerJson,
  BreakersJson,
  HealthJson,
  LimitJson,
  LimitsJson,
  ResetBody,
  ResetWaitJson,
} from "./operations.ts";
export type { EventsJson, EventsQuery, ExplainJson, KeyframeIndexJson, KeyframeJson } from "./past.ts";
export type { FirstJson, ProblemJson, SessionBody, SessionJson, SessionNowJson } from "./problem.ts";
export type { BannerJson, CommandJson, RunSnapshotJson, TakenRouteJson } from "./run.ts";
export type { DayJson, RunRowJson, RunsJson, RunsQuery } from "./runs.ts";
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
  ExampleBody,
  ExampleJson,
  InputFieldJson,
  PlanBody,
  PlanJson,
  WorkflowJson,
  WorkflowSummaryJson,
  WorkflowsJson,
} from "./workflows.ts";
export type { ActedJson, CancelBody, ResumeBody, StartBody } from "./writes.ts";
