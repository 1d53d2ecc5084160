// Every address of the API: what it takes and what it answers. The server is built along this table, /api/openapi.json is
// made from it, and a test holds real answers against it.
import { z } from "zod";
import { resultSchema } from "../../results/schema.ts";
import * as gates from "./gates.ts";
import * as history from "./history.ts";
import * as letters from "./letters.ts";
import * as past from "./log.ts";
import * as operations from "./operations.ts";
import * as run from "./run.ts";
import * as runs from "./runs.ts";
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

/** What takes a body is a POST, everything else a GET. */
const define = <Table extends Readonly<Record<string, Omit<Address, "method">>>>(table: Table) =>
  Object.fromEntries(
    Object.entries(table).map(([name, address]) => [name, { method: address.body ? "POST" : "GET", ...address }]),
  ) as { readonly [Name in keyof Table]: Table[Name] & Pick<Address, "method"> };

export const ADDRESSES = define({
  openSession: {
    path: "/api/session",
    about: "Exchanges the token of the printed address for a session.",
    body: values.sessionBody,
    answer: values.sessionJson,
  },
  session: {
    path: "/api/session",
    about: "Whether a session goes on, and of whom.",
    answer: values.sessionNowJson,
  },
  runs: { path: "/api/runs", about: "The runs, newest first.", query: runs.runsQuery, answer: runs.runsJson },
  run: { path: "/api/runs/{run}", about: "One run: the fold and the picture.", answer: run.runSnapshotJson },
  result: {
    path: "/api/runs/{run}/result",
    about: "The result of a run as it is now: what `segno show --output-format json` gives.",
    answer: resultSchema,
  },
  events: {
    path: "/api/runs/{run}/events",
    about: "The log of a run, a page at a time.",
    query: past.eventsQuery,
    answer: past.eventsJson,
  },
  keyframes: {
    path: "/api/runs/{run}/keyframes",
    about: "Where keyframes are; with `at`, the keyframe before that event and the events up to the next.",
    query: past.keyframesQuery,
    answer: z.union([past.keyframeIndexJson, past.keyframeJson]),
  },
  step: {
    path: "/api/runs/{run}/steps/{step+}",
    about: "One step; sub-workflows stand before it: package/verify. A `/` inside a segment is written %2F.",
    query: step.stepQuery,
    answer: step.stepJson,
  },
  printed: {
    path: "/api/runs/{run}/printed",
    about: "What a process printed, all of it, in windows of rows.",
    query: past.rowsQuery,
    answer: past.printedRowsJson,
  },
  printedFound: {
    path: "/api/runs/{run}/printed/found",
    about: "Which rows of what a process printed hold a text.",
    query: past.foundQuery,
    answer: past.foundRowsJson,
  },
  explain: {
    path: "/api/runs/{run}/explain",
    about: "The story of a run, and what a resume would do now.",
    query: past.explainQuery,
    answer: past.explainJson,
  },
  trace: {
    path: "/api/runs/{run}/trace",
    about: "A run as OpenTelemetry spans. Nothing is sent anywhere: that is what `segno trace` and SEGNO_OTLP do.",
    answer: past.traceJson,
  },
  start: {
    path: "/api/runs",
    about: "Starts a workflow; the server drives it.",
    body: runs.startBody,
    answer: runs.actedJson,
    isWrite: true,
  },
  resume: {
    path: "/api/runs/{run}/resume",
    about: "Goes on with a run; the server drives it.",
    body: runs.resumeBody,
    answer: runs.actedJson,
    isWrite: true,
  },
  cancel: {
    path: "/api/runs/{run}/cancel",
    about: "Stops a run, wherever it is driven. It can be resumed.",
    body: runs.cancelBody,
    answer: runs.actedJson,
    isWrite: true,
  },
  record: {
    path: "/api/runs/{run}/record",
    about: "Makes a test of a run: writes a scenario into `tests` beside its workflow, and plays it.",
    body: history.recordBody,
    answer: history.recordedJson,
    isWrite: true,
  },
  errors: {
    path: "/api/errors",
    about: "Failures of all runs, grouped by kind and step.",
    query: letters.errorsQuery,
    answer: letters.errorsJson,
  },
  gates: { path: "/api/gates", about: "Everything that waits for a person.", answer: gates.gatesJson },
  answer: {
    path: "/api/gates/{gate}",
    about: "Answers a gate; the run goes on.",
    body: gates.answerBody,
    answer: gates.answeredJson,
    isWrite: true,
  },
  letters: {
    path: "/api/letters",
    about: "Dead letters, newest first.",
    query: letters.lettersQuery,
    answer: letters.lettersJson,
  },
  letter: { path: "/api/letters/{letter}", about: "All that is known of one.", answer: letters.wholeLetterJson },
  retry: {
    path: "/api/letters/retry",
    about: "Runs those steps and items again, each in its run.",
    body: letters.retryBody,
    answer: letters.retriedJson,
    isWrite: true,
  },
  drop: {
    path: "/api/letters/drop",
    about: "Gives open letters up: what `segno dlq drop` does.",
    body: letters.retryBody,
    answer: letters.droppedJson,
    isWrite: true,
  },
  retryPlan: {
    path: "/api/letters/plan",
    about: "What a retry of those letters would do now, run by run; nothing is run.",
    body: letters.retryBody,
    answer: letters.retryPlanJson,
  },
  limits: {
    path: "/api/limits",
    about: "Limits on calls to models: what is used, who waits, and until when.",
    answer: operations.limitsJson,
  },
  breakers: { path: "/api/breakers", about: "Circuit breakers.", answer: operations.breakersJson },
  reset: {
    path: "/api/breakers/{breaker}/reset",
    about: "Closes a breaker by hand.",
    body: operations.resetBody,
    answer: operations.breakersJson,
    isWrite: true,
  },
  workers: { path: "/api/workers", about: "The workers of a fleet.", answer: operations.workersJson },
  triggers: {
    path: "/api/triggers",
    about: "What starts runs by itself, when the server stands in a trusted project.",
    answer: operations.triggersJson,
  },
  triggerHistory: {
    path: "/api/triggers/{trigger}/history",
    about: "What a trigger has fired, newest first.",
    query: operations.historyQuery,
    answer: operations.historyJson,
  },
  pauseTrigger: {
    path: "/api/triggers/{trigger}/pause",
    about: "Pauses a trigger, or lets it fire again. What comes meanwhile is not caught up with.",
    body: operations.pauseBody,
    answer: operations.triggersJson,
    isWrite: true,
  },
  fireTrigger: {
    path: "/api/triggers/{trigger}/fire",
    about: "Fires a trigger by hand; the server starts its run.",
    body: operations.fireBody,
    answer: operations.firedJson,
    isWrite: true,
  },
  workflows: { path: "/api/workflows", about: "Workflow files below the root.", answer: workflows.workflowsJson },
  workflow: {
    path: "/api/workflows/{file+}",
    about: "One of them: graph, inputs, what it can raise, its last runs.",
    query: workflows.workflowQuery,
    answer: z.union([workflows.workflowJson, workflows.unchangedJson]),
  },
  coverage: {
    path: "/api/coverage/{file+}",
    about: "Which steps and routes the scenarios of a workflow file take; played offline, nothing is run.",
    answer: workflows.coverageJson,
  },
  editor: {
    path: "/api/editor/{file+}",
    about: "Of `segno graph --watch`: tells a connected editor to go to a node or a line of the file.",
    body: workflows.editorBody,
    answer: workflows.editorJson,
  },
  backtest: {
    path: "/api/backtest/{file+}",
    about: "What a workflow file as it is now would have done to its last runs; played offline, nothing is run.",
    query: history.backtestQuery,
    answer: history.backtestJson,
  },
  forecast: {
    path: "/api/forecast/{file+}",
    about: "What a workflow file would come to, played many times with answers of its past runs; nothing is run.",
    query: history.forecastQuery,
    answer: history.forecastJson,
  },
  evals: {
    path: "/api/evals",
    about: "Evals of workflows below the root, newest first.",
    answer: history.evalsJson,
  },
  eval: {
    path: "/api/evals/{eval}",
    about: "One eval: what each variant came to, and every row with its run.",
    answer: history.evalJson,
  },
  example: {
    path: "/api/examples",
    about: "Copies an example of the package below the root, to be started there.",
    body: workflows.exampleBody,
    answer: workflows.exampleJson,
    isWrite: true,
  },
  plan: {
    path: "/api/plan/{file+}",
    about: "What a run with these inputs would do; nothing is run.",
    body: workflows.planBody,
    answer: workflows.planJson,
  },
});
export type AddressName = keyof typeof ADDRESSES;

/** What an address answers. */
export type AnswerOf<Name extends AddressName> = z.infer<(typeof ADDRESSES)[Name]["answer"]>;
