// What an eval would do for real, and what that would cost, before it does anything.
import type { RunStore } from "../../hosts/store.ts";
import { pastRuns } from "../history/past-runs.ts";
import type { Session } from "../session/session.ts";
import type { CheckedEval } from "./check-eval.ts";
import type { GradeSpec } from "./eval-file.ts";
import type { EvalPlan } from "./eval-store.ts";
import { JUDGE } from "./graders/grader-world.ts";
import { answeredFor, type LiveCall, liveCalls } from "./planned-rows.ts";

export interface EvalPreview {
  readonly runs: number;
  readonly rows: number;
  /** What is done for real. */
  readonly live: readonly LiveCall[];
  /** Steps that are answered from a recording, or from the scenario. */
  readonly answered: readonly string[];
  /** Graders that ask a model or start a program. */
  readonly graders: readonly string[];
  /** What all of it would cost, from what past runs of the workflow cost; null: there are none. */
  readonly estimate_usd: number | null;
  readonly past_runs: number;
}

/** So many of the newest runs are looked at. */
const RUNS = 50;

export async function previewOf(
  store: RunStore,
  checked: CheckedEval,
  plan: EvalPlan,
  { cwd }: Session,
): Promise<EvalPreview> {
  const past = await pastRuns(store, { cwd, file: checked.workflow.file, limit: RUNS });
  const costs = past.flatMap(({ costUsd, status }) => (costUsd === null || status === "running" ? [] : [costUsd]));
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  const isJudgeScripted = checked.scenario?.scenario.agent_scripts[JUDGE] !== undefined;
  return {
    ...{ runs: plan.runs.length, rows: plan.rows.length, live: liveCalls(checked), answered: answeredFor(checked) },
    graders: checked.spec.grade.flatMap((grade) => realGrader(grade, isJudgeScripted) ?? []),
    estimate_usd: costs.length === 0 ? null : Math.round(mean * plan.runs.length * 1e4) / 1e4,
    past_runs: costs.length,
  };
}

function realGrader(
  { judge, script, grader, provider, model }: GradeSpec,
  isJudgeScripted: boolean,
): string | undefined {
  if (judge !== undefined)
    return isJudgeScripted
      ? undefined
      : `a judge asks ${[provider, model].filter(Boolean).join(" ") || "the workflow's model"}`;
  if (script !== undefined) return `${script} is started`;
  return grader === undefined ? undefined : `the plugin's grader ${grader} is called`;
}
