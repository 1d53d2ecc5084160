// Every address of the API: what it takes and what it answers. The server is built along this table, /api/openapi.json is
// made from it, and a test holds real answers against it.
import { z } from "zod";
import { resultSchema } from "../../../base/results/schema.ts";
import * as gates from "./gates.ts";
import * as history from "./history.ts";
import * as letters from "./letters.ts";
import * as log from "./log.ts";
import * as operations from "./operations.ts";
import * as run from "./run.ts";
import * as runs from "./runs.ts";
import * as stats from "./stats.ts";
import * as step from "./step.ts";
import * as values from "./values.ts";
import * as workflows from "./workflows.ts";

export interface Address {
  readonly method: "GET" | "POST";
  /** `{name}` is one encoded segment, `{name+}` one or more. */
  readonly path: string;
  readonly about: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
  /** Takes an Idempotency-Key, and is refused with --read-only. */
  readonly isWrite?: true;
}

const get = <Answer extends z.ZodType, Query extends z.ZodObject | undefined = undefined>(
  path: string,
  about: string,
  answer: Answer,
  query?: Query,
) => ({ method: "GET" as const, path, about, answer, query: query as Query });

const post = <Body extends z.ZodType, Answer extends z.ZodType>(
  path: string,
  about: string,
  body: Body,
  answer: Answer,
) => ({ method: "POST" as const, path, about, body, answer });

const write = <Body extends z.ZodType, Answer extends z.ZodType>(...asked: [string, string, Body, Answer]) => ({
  ...post(...asked),
  isWrite: true as const,
});

export const ADDRESSES = {
  openSession: post(
    "/api/session",
    "Exchanges the token of the printed address for a session.",
    values.sessionBody,
    values.sessionJson,
  ),
  session: get("/api/session", "Whether a session goes on, and of whom.", values.sessionNowJson),
  contents: get("/api/contents", "Which of the lists below have an entry.", operations.contentsJson),
  runs: get("/api/runs", "The runs, newest first.", runs.runsJson, runs.runsQuery),
  stats: get(
    "/api/stats",
    "How runs ended, how long they took and what they cost, by workflow and step.",
    stats.statsJson,
    stats.statsQuery,
  ),
  run: get("/api/runs/{run}", "One run: the fold and the picture.", run.runSnapshotJson),
  result: get(
    "/api/runs/{run}/result",
    "The result of a run as it is now: what `segno show --output-format json` gives.",
    resultSchema,
  ),
  events: get("/api/runs/{run}/events", "The log of a run, a page at a time.", log.eventsJson, log.eventsQuery),
  keyframes: get(
    "/api/runs/{run}/keyframes",
    "Where keyframes are; with `at`, the keyframe before that event and the events up to the next.",
    z.union([log.keyframeIndexJson, log.keyframeJson]),
    log.keyframesQuery,
  ),
  step: get(
    "/api/runs/{run}/steps/{step+}",
    "One step; sub-workflows stand before it: package/verify. A `/` inside a segment is written %2F.",
    step.stepJson,
    step.stepQuery,
  ),
  printed: get(
    "/api/runs/{run}/printed",
    "What a process printed, all of it, in windows of rows.",
    log.printedRowsJson,
    log.rowsQuery,
  ),
  printedFound: get(
    "/api/runs/{run}/printed/found",
    "Which rows of what a process printed hold a text.",
    log.foundRowsJson,
    log.foundQuery,
  ),
  explain: get(
    "/api/runs/{run}/explain",
    "The story of a run, and what a resume would do now.",
    log.explainJson,
    log.explainQuery,
  ),
  trace: get(
    "/api/runs/{run}/trace",
    "A run as OpenTelemetry spans. Nothing is sent anywhere: that is what `segno trace` and SEGNO_OTLP do.",
    log.traceJson,
  ),
  start: write("/api/runs", "Starts a workflow; the server drives it.", runs.startBody, runs.actedJson),
  resume: write("/api/runs/{run}/resume", "Goes on with a run; the server drives it.", runs.resumeBody, runs.actedJson),
  cancel: write(
    "/api/runs/{run}/cancel",
    "Stops a run, wherever it is driven. It can be resumed.",
    runs.cancelBody,
    runs.actedJson,
  ),
  record: write(
    "/api/runs/{run}/record",
    "Makes a test of a run: writes a scenario into `tests` beside its workflow, and plays it.",
    history.recordBody,
    history.recordedJson,
  ),
  errors: get(
    "/api/errors",
    "Failures of all runs, grouped by kind and step.",
    letters.errorsJson,
    letters.errorsQuery,
  ),
  gates: get("/api/gates", "Everything that waits for a person.", gates.gatesJson),
  answer: write("/api/gates/{gate}", "Answers a gate; the run goes on.", gates.answerBody, gates.answeredJson),
  letters: get("/api/letters", "Dead letters, newest first.", letters.lettersJson, letters.lettersQuery),
  letter: get("/api/letters/{letter}", "All that is known of one.", letters.wholeLetterJson),
  retry: write(
    "/api/letters/retry",
    "Runs those steps and items again, each in its run.",
    letters.retryBody,
    letters.retriedJson,
  ),
  drop: write(
    "/api/letters/drop",
    "Gives open letters up: what `segno dlq drop` does.",
    letters.retryBody,
    letters.droppedJson,
  ),
  retryPlan: post(
    "/api/letters/plan",
    "What a retry of those letters would do now, run by run; nothing is run.",
    letters.retryBody,
    letters.retryPlanJson,
  ),
  limits: get(
    "/api/limits",
    "Limits on calls to models: what is used, who waits, and until when.",
    operations.limitsJson,
  ),
  breakers: get("/api/breakers", "Circuit breakers.", operations.breakersJson),
  reset: write(
    "/api/breakers/{breaker}/reset",
    "Closes a breaker by hand.",
    operations.resetBody,
    operations.breakersJson,
  ),
  workers: get("/api/workers", "The workers of a fleet.", operations.workersJson),
  triggers: get(
    "/api/triggers",
    "What starts runs by itself, when the server stands in a trusted project.",
    operations.triggersJson,
  ),
  triggerHistory: get(
    "/api/triggers/{trigger}/history",
    "What a trigger has fired, newest first.",
    operations.historyJson,
    operations.historyQuery,
  ),
  pauseTrigger: write(
    "/api/triggers/{trigger}/pause",
    "Pauses a trigger, or lets it fire again. What comes meanwhile is not caught up with.",
    operations.pauseBody,
    operations.triggersJson,
  ),
  fireTrigger: write(
    "/api/triggers/{trigger}/fire",
    "Fires a trigger by hand; the server starts its run.",
    operations.fireBody,
    operations.firedJson,
  ),
  workflows: get("/api/workflows", "Workflow files below the root.", workflows.workflowsJson),
  workflow: get(
    "/api/workflows/{file+}",
    "One of them: graph, inputs, what it can raise, its last runs.",
    z.union([workflows.workflowJson, workflows.unchangedJson]),
    workflows.workflowQuery,
  ),
  coverage: get(
    "/api/coverage/{file+}",
    "Which steps and routes the scenarios of a workflow file take; played offline, nothing is run.",
    workflows.coverageJson,
  ),
  editor: post(
    "/api/editor/{file+}",
    "Of `segno graph --watch`: tells a connected editor to go to a node or a line of the file.",
    workflows.editorBody,
    workflows.editorJson,
  ),
  backtest: get(
    "/api/backtest/{file+}",
    "What a workflow file as it is now would have done to its last runs; played offline, nothing is run.",
    history.backtestJson,
    history.backtestQuery,
  ),
  evals: get("/api/evals", "Evals of workflows below the root, newest first.", history.evalsJson),
  eval: get("/api/evals/{eval}", "One eval: what each variant came to, and every row with its run.", history.evalJson),
  example: write(
    "/api/examples",
    "Copies an example of the package below the root, to be started there.",
    workflows.exampleBody,
    workflows.exampleJson,
  ),
  plan: post(
    "/api/plan/{file+}",
    "What a run with these inputs would do; nothing is run.",
    workflows.planBody,
    workflows.planJson,
  ),
} as const;
export type AddressName = keyof typeof ADDRESSES;

export type AnswerOf<Name extends AddressName> = z.infer<(typeof ADDRESSES)[Name]["answer"]>;
