// Every address of the API: what it takes and what it answers. The server is built along this table, /api/openapi.json is
// made from it, and a test holds real answers against it.
import { z } from "zod";
import { resultSchema } from "../../results/schema.ts";
import { answerBody, answeredJson, gatesJson } from "./gates.ts";
import {
  backtestJson,
  backtestQuery,
  evalJson,
  evalsJson,
  forecastJson,
  forecastQuery,
  recordBody,
  recordedJson,
} from "./history.ts";
import {
  droppedJson,
  errorsJson,
  errorsQuery,
  lettersJson,
  lettersQuery,
  retriedJson,
  retryBody,
  retryPlanJson,
  wholeLetterJson,
} from "./letters.ts";
import { breakersJson, limitsJson, resetBody, workersJson } from "./operations.ts";
import {
  eventsJson,
  eventsQuery,
  explainJson,
  explainQuery,
  foundQuery,
  foundRowsJson,
  keyframeIndexJson,
  keyframeJson,
  keyframesQuery,
  printedRowsJson,
  rowsQuery,
  traceJson,
} from "./past.ts";
import { sessionBody, sessionJson, sessionNowJson } from "./problem.ts";
import { runSnapshotJson } from "./run.ts";
import { runsJson, runsQuery } from "./runs.ts";
import { stepJson, stepQuery } from "./step.ts";
import { fireBody, firedJson, historyJson, historyQuery, pauseBody, triggersJson } from "./triggers.ts";
import {
  coverageJson,
  editorBody,
  editorJson,
  exampleBody,
  exampleJson,
  planBody,
  planJson,
  unchangedJson,
  workflowJson,
  workflowQuery,
  workflowsJson,
} from "./workflows.ts";
import { actedJson, cancelBody, resumeBody, startBody } from "./writes.ts";

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

const define = <Table extends Readonly<Record<string, Address>>>(table: Table): Table => table;

export const ADDRESSES = define({
  openSession: {
    method: "POST",
    path: "/api/session",
    about: "Exchanges the token of the printed address for a session.",
    body: sessionBody,
    answer: sessionJson,
  },
  session: {
    method: "GET",
    path: "/api/session",
    about: "Whether a session goes on, and of whom.",
    answer: sessionNowJson,
  },
  runs: { method: "GET", path: "/api/runs", about: "The runs, newest first.", query: runsQuery, answer: runsJson },
  run: { method: "GET", path: "/api/runs/{run}", about: "One run: the fold and the picture.", answer: runSnapshotJson },
  result: {
    method: "GET",
    path: "/api/runs/{run}/result",
    about: "The result of a run as it is now: what `segno show --output-format json` gives.",
    answer: resultSchema,
  },
  events: {
    method: "GET",
    path: "/api/runs/{run}/events",
    about: "The log of a run, a page at a time.",
    query: eventsQuery,
    answer: eventsJson,
  },
  keyframes: {
    method: "GET",
    path: "/api/runs/{run}/keyframes",
    about: "Where keyframes are; with `at`, the keyframe before that event and the events up to the next.",
    query: keyframesQuery,
    answer: z.union([keyframeIndexJson, keyframeJson]),
  },
  step: {
    method: "GET",
    path: "/api/runs/{run}/steps/{step+}",
    about: "One step; sub-workflows stand before it: package/verify. A `/` inside a segment is written %2F.",
    query: stepQuery,
    answer: stepJson,
  },
  printed: {
    method: "GET",
    path: "/api/runs/{run}/printed",
    about: "What a process printed, all of it, in windows of rows.",
    query: rowsQuery,
    answer: printedRowsJson,
  },
  printedFound: {
    method: "GET",
    path: "/api/runs/{run}/printed/found",
    about: "Which rows of what a process printed hold a text.",
    query: foundQuery,
    answer: foundRowsJson,
  },
  explain: {
    method: "GET",
    path: "/api/runs/{run}/explain",
    about: "The story of a run, and what a resume would do now.",
    query: explainQuery,
    answer: explainJson,
  },
  trace: {
    method: "GET",
    path: "/api/runs/{run}/trace",
    about: "A run as OpenTelemetry spans. Nothing is sent anywhere: that is what `segno trace` and SEGNO_OTLP do.",
    answer: traceJson,
  },
  start: {
    method: "POST",
    path: "/api/runs",
    about: "Starts a workflow; the server drives it.",
    body: startBody,
    answer: actedJson,
    isWrite: true,
  },
  resume: {
    method: "POST",
    path: "/api/runs/{run}/resume",
    about: "Goes on with a run; the server drives it.",
    body: resumeBody,
    answer: actedJson,
    isWrite: true,
  },
  cancel: {
    method: "POST",
    path: "/api/runs/{run}/cancel",
    about: "Stops a run, wherever it is driven. It can be resumed.",
    body: cancelBody,
    answer: actedJson,
    isWrite: true,
  },
  record: {
    method: "POST",
    path: "/api/runs/{run}/record",
    about: "Makes a test of a run: writes a scenario into `tests` beside its workflow, and plays it.",
    body: recordBody,
    answer: recordedJson,
    isWrite: true,
  },
  errors: {
    method: "GET",
    path: "/api/errors",
    about: "Failures of all runs, grouped by kind and step.",
    query: errorsQuery,
    answer: errorsJson,
  },
  gates: { method: "GET", path: "/api/gates", about: "Everything that waits for a person.", answer: gatesJson },
  answer: {
    method: "POST",
    path: "/api/gates/{gate}",
    about: "Answers a gate; the run goes on.",
    body: answerBody,
    answer: answeredJson,
    isWrite: true,
  },
  letters: {
    method: "GET",
    path: "/api/letters",
    about: "Dead letters, newest first.",
    query: lettersQuery,
    answer: lettersJson,
  },
  letter: { method: "GET", path: "/api/letters/{letter}", about: "All that is known of one.", answer: wholeLetterJson },
  retry: {
    method: "POST",
    path: "/api/letters/retry",
    about: "Runs those steps and items again, each in its run.",
    body: retryBody,
    answer: retriedJson,
    isWrite: true,
  },
  drop: {
    method: "POST",
    path: "/api/letters/drop",
    about: "Gives open letters up: what `segno dlq drop` does.",
    body: retryBody,
    answer: droppedJson,
    isWrite: true,
  },
  retryPlan: {
    method: "POST",
    path: "/api/letters/plan",
    about: "What a retry of those letters would do now, run by run; nothing is run.",
    body: retryBody,
    answer: retryPlanJson,
  },
  limits: {
    method: "GET",
    path: "/api/limits",
    about: "Limits on calls to models: what is used, who waits, and until when.",
    answer: limitsJson,
  },
  breakers: { method: "GET", path: "/api/breakers", about: "Circuit breakers.", answer: breakersJson },
  reset: {
    method: "POST",
    path: "/api/breakers/{breaker}/reset",
    about: "Closes a breaker by hand.",
    body: resetBody,
    answer: breakersJson,
    isWrite: true,
  },
  workers: { method: "GET", path: "/api/workers", about: "The workers of a fleet.", answer: workersJson },
  triggers: {
    method: "GET",
    path: "/api/triggers",
    about: "What starts runs by itself, when the server stands in a trusted project.",
    answer: triggersJson,
  },
  triggerHistory: {
    method: "GET",
    path: "/api/triggers/{trigger}/history",
    about: "What a trigger has fired, newest first.",
    query: historyQuery,
    answer: historyJson,
  },
  pauseTrigger: {
    method: "POST",
    path: "/api/triggers/{trigger}/pause",
    about: "Pauses a trigger, or lets it fire again. What comes meanwhile is not caught up with.",
    body: pauseBody,
    answer: triggersJson,
    isWrite: true,
  },
  fireTrigger: {
    method: "POST",
    path: "/api/triggers/{trigger}/fire",
    about: "Fires a trigger by hand; the server starts its run.",
    body: fireBody,
    answer: firedJson,
    isWrite: true,
  },
  workflows: { method: "GET", path: "/api/workflows", about: "Workflow files below the root.", answer: workflowsJson },
  workflow: {
    method: "GET",
    path: "/api/workflows/{file+}",
    about: "One of them: graph, inputs, what it can raise, its last runs.",
    query: workflowQuery,
    answer: z.union([workflowJson, unchangedJson]),
  },
  coverage: {
    method: "GET",
    path: "/api/coverage/{file+}",
    about: "Which steps and routes the scenarios of a workflow file take; played offline, nothing is run.",
    answer: coverageJson,
  },
  editor: {
    method: "POST",
    path: "/api/editor/{file+}",
    about: "Of `segno graph --watch`: tells a connected editor to go to a node or a line of the file.",
    body: editorBody,
    answer: editorJson,
  },
  backtest: {
    method: "GET",
    path: "/api/backtest/{file+}",
    about: "What a workflow file as it is now would have done to its last runs; played offline, nothing is run.",
    query: backtestQuery,
    answer: backtestJson,
  },
  forecast: {
    method: "GET",
    path: "/api/forecast/{file+}",
    about: "What a workflow file would come to, played many times with answers of its past runs; nothing is run.",
    query: forecastQuery,
    answer: forecastJson,
  },
  evals: {
    method: "GET",
    path: "/api/evals",
    about: "Evals of workflows below the root, newest first.",
    answer: evalsJson,
  },
  eval: {
    method: "GET",
    path: "/api/evals/{eval}",
    about: "One eval: what each variant came to, and every row with its run.",
    answer: evalJson,
  },
  example: {
    method: "POST",
    path: "/api/examples",
    about: "Copies an example of the package below the root, to be started there.",
    body: exampleBody,
    answer: exampleJson,
    isWrite: true,
  },
  plan: {
    method: "POST",
    path: "/api/plan/{file+}",
    about: "What a run with these inputs would do; nothing is run.",
    body: planBody,
    answer: planJson,
  },
});
export type AddressName = keyof typeof ADDRESSES;

/** What an address answers. */
export type AnswerOf<Name extends AddressName> = z.infer<(typeof ADDRESSES)[Name]["answer"]>;
