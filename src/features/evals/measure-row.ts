// One run of an eval: drives it, or goes on with it, and grades what came of it.
import { visitsOf } from "../../base/events/visits/visit-fold.ts";
import type { Result } from "../../base/results/result.ts";
import { readEvents } from "../../services/reading/read-run.ts";
import type { DriveListeners, GivenInput } from "../../services/request.ts";
import { resumeRun } from "../../services/runs/resume.ts";
import { BEGUN, runWorkflow } from "../../services/runs/run.ts";
import { showRun } from "../../services/runs/runs.ts";
import type { Session } from "../../services/session/session.ts";
import { reading } from "../../services/session/store.ts";
import type { RunStore } from "../../storage/store.ts";
import { type CheckedEval, givenInputs } from "./check-eval.ts";
import type { DatasetRow } from "./dataset.ts";
import type { PlannedRun } from "./eval-store.ts";
import { type GraderWorld, gradesOfRow } from "./graders/grade.ts";
import type { EvalRow } from "./summary.ts";

export interface Measuring {
  readonly evalId: string;
  readonly checked: CheckedEval;
  readonly store: RunStore;
  readonly session: Session;
  readonly listeners: DriveListeners;
  readonly graders: GraderWorld;
}

export interface RowToMeasure {
  readonly row: DatasetRow;
  readonly planned: PlannedRun;
  /** The file of its scenario. */
  readonly scenario: string;
}

/** Nothing when it was stopped: the run can go on later. */
export async function measureRow(measuring: Measuring, asked: RowToMeasure): Promise<EvalRow | undefined> {
  const { checked, store, listeners, graders } = measuring;
  const { row, planned } = asked;
  const result = await driven(measuring, asked);
  if (listeners.signal?.aborted && !ENDED.has(result.status)) return undefined;
  const seen = await seenOf(store, planned.run_id, result);
  const { metrics } = result;
  const failure = result.status === "failed" ? result.errors[0] : undefined;
  const came = {
    id: row.id,
    variant: planned.variant,
    repeat: planned.repeat,
    run_id: planned.run_id,
    tags: row.tags,
    status: result.status,
    kind: failure?.kind ?? null,
    cost_usd: metrics?.total_cost_usd ?? null,
    duration_ms: result.execution?.duration_ms ?? metrics?.duration_ms ?? null,
    tokens: metrics ? metrics.tokens.input + metrics.tokens.output : null,
    errors: seen.errors,
  };
  const why = whyNotMeasured(result);
  if (why !== undefined) return { ...came, passed: null, grades: [], why, grading_usd: 0 };
  const { grades, cost_usd } = await gradesOfRow(
    checked.spec,
    {
      inputs: row.inputs,
      expected: row.expected,
      output: outputOf(result, checked),
      row: { id: row.id, tags: row.tags, variant: planned.variant },
      run: {
        id: planned.run_id,
        status: came.status,
        kind: came.kind,
        ...seen,
        cost_usd: came.cost_usd,
        duration_ms: came.duration_ms,
      },
    },
    graders,
  );
  const unmade = grades.find(({ passed }) => passed === null);
  const isFailed = grades.some(({ passed }) => passed === false);
  return {
    ...came,
    // One grade that failed is enough to know.
    passed: isFailed ? false : unmade ? null : true,
    grades,
    why: unmade && !isFailed ? `${unmade.name}: ${unmade.why}` : null,
    grading_usd: cost_usd,
  };
}

const ENDED: ReadonlySet<string> = new Set(["completed", "degraded", "terminated", "failed", "invalid"]);

/** What has ended is not driven again: an ungraded failure would get a second chance. A placed run is followed. */
async function driven(
  { evalId, checked, session, listeners, store }: Measuring,
  { row, planned, scenario }: RowToMeasure,
): Promise<Result> {
  const { run_id: runId } = planned;
  const known = await store.summary(runId);
  if (known && !known.crashed && ENDED.has(known.status)) return showRun(session, { run: runId });
  const { file } = checked.workflow;
  const request = { file, runId, inputs: inputsOf(checked, row), scenario, scenarioTravels: true, origin: { evalId } };
  const started = await runWorkflow(session, request, listeners);
  if (started.errors[0]?.error_type !== BEGUN) return started;
  return resumeRun(session, { target: runId, inputs: {} }, listeners);
}

/** The row's, and those of the eval's scenario that it leaves out. */
function inputsOf({ scenario }: CheckedEval, { inputs }: DatasetRow): Readonly<Record<string, GivenInput>> {
  const names = Object.keys(scenario?.scenario.inputs ?? {});
  const shared = names.flatMap((name) => (scenario ? [[name, scenario.input(name)] as const] : []));
  return { ...Object.fromEntries(shared), ...givenInputs(inputs) };
}

/** With `step` the run's output is that of the step. */
function outputOf({ output }: Result, { spec }: CheckedEval): unknown {
  return spec.step === undefined ? output : ((output as { result?: unknown } | null)?.result ?? null);
}

async function seenOf(
  store: RunStore,
  runId: string,
  { run_id }: Result,
): Promise<{ readonly steps: readonly string[]; readonly errors: readonly string[] }> {
  if (run_id === null || !(await store.findRun(runId))) return { steps: [], errors: [] };
  return reading(store, runId, async (reader) => {
    const visits = [...visitsOf([...(await readEvents(reader.events()))])];
    const began = visits.flatMap(({ node, attempts }) => {
      const seq = attempts.find((one) => one.began)?.began?.seq;
      return seq === undefined ? [] : [{ node, seq }];
    });
    return {
      steps: began.sort((a, b) => a.seq - b.seq).map(({ node }) => node),
      errors: visits.flatMap(({ history }) => (history?.errors ?? []).map(({ error }) => error.kind)),
    };
  });
}

/** What says nothing of the workflow: a provider that could not be reached, a budget, an answer that was never recorded. */
function whyNotMeasured({ status, errors, error }: Result): string | undefined {
  const [first] = errors;
  if (status === "invalid") return first?.message ?? error ?? "it was refused";
  if (status === "paused") return "it waits for a person: answer for that gate in `scenario:`";
  if (status === "cancelled") return "it was cancelled";
  if (status !== "failed") return undefined;
  if (first?.error_type === "ScenarioError")
    return `${first.message.replace(/; with `strict: false` it would run for real$/, "")}: nothing is recorded for it. Name it under \`live:\`, or answer for it in \`scenario:\``;
  if (first?.error_type === "BudgetExceededError") return first.message;
  const isOutage = first?.kind?.startsWith("provider.") === true && first.owner !== "workflow";
  return isOutage ? `${first.kind}: ${first.message}` : undefined;
}
