// What an eval would cost, by variant and model: from what these models cost in past runs of its workflow, rows of evals
// among them.
import { keptIn } from "../../base/errors/mapping.ts";
import { eachFigures } from "../../services/runs/stats.ts";
import type { RunStore } from "../../storage/store.ts";
import type { CheckedEval } from "./check-eval.ts";
import type { EvalPlan } from "./eval-store.ts";
import { liveCalls } from "./live-steps.ts";

export interface ModelEstimate {
  readonly model: string;
  /** What the model cost in a run, on average; null: no past run asked it. */
  readonly usd_per_run: number | null;
  /** How many past runs asked it. */
  readonly past_runs: number;
}

export interface VariantEstimate {
  readonly variant: string;
  readonly runs: number;
  /** Null: no past run asked one of its models, or a step does not say its model. */
  readonly estimate_usd: number | null;
  readonly models: readonly ModelEstimate[];
}

/** So many of the newest runs are looked at, and as many rows of evals. */
const MOST_RUNS = 1000;

export async function estimates(
  store: RunStore,
  checked: CheckedEval,
  plan: EvalPlan,
): Promise<{ readonly variants: readonly VariantEstimate[]; readonly past_runs: number }> {
  const costs = new Map<string, { usd: number; runs: number }>();
  let past_runs = 0;
  for (const ofEvals of [false, true])
    await eachFigures(store, { file: checked.workflow.file, limit: MOST_RUNS, ofEvals }, (_, runs) => {
      for (const run of runs) {
        if (!("models" in run) || run.models === undefined) continue;
        past_runs += 1;
        for (const [model, usd] of Object.entries(run.models)) {
          const sum = keptIn(costs, model, () => ({ usd: 0, runs: 0 }));
          sum.usd += usd;
          sum.runs += 1;
        }
      }
    });
  const ofModel = (model: string): ModelEstimate => {
    // A provider may answer with the dated name of a model: `small-2026-01-01`.
    const all = [...costs].filter(([name]) => name === model || name.startsWith(`${model}-`));
    const runs = all.reduce((sum, [, cost]) => sum + cost.runs, 0);
    const usd = all.reduce((sum, [, cost]) => sum + cost.usd, 0);
    return { model, usd_per_run: runs === 0 ? null : round(usd / runs), past_runs: runs };
  };
  const variants = plan.variants.map(({ name: variant }): VariantEstimate => {
    const runs = plan.runs.filter((run) => run.variant === variant).length;
    const agents = liveCalls({ ...checked, workflow: checked.variants.get(variant) ?? checked.workflow }).filter(
      ({ type }) => type === "agent",
    );
    const models = [...new Set(agents.flatMap(({ model }) => model ?? []))].map(ofModel);
    const isKnown = agents.every(({ model }) => model !== undefined) && models.every((one) => one.usd_per_run !== null);
    const perRun = models.reduce((sum, one) => sum + (one.usd_per_run ?? 0), 0);
    return { variant, runs, estimate_usd: isKnown ? round(perRun * runs) : null, models };
  });
  return { variants, past_runs };
}

const round = (usd: number): number => Math.round(usd * 1e6) / 1e6;
