// Evals as a page shows them: those of eval files below a root, also while they go on or after a kill.
import { isBelow } from "../access/path-inside.ts";
import { environmentRedactor } from "../secrets/environment-redactor.ts";
import { homeOf } from "../session/home.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";

import { type EvalFolder, type EvalPlan, evalsIn } from "./eval-store.ts";
import type { OneEval } from "./run-eval.ts";
import { type Difference, differencesBetween, type EvalRow, summaryOf, type VariantSummary } from "./summary.ts";

export interface ShownEval extends Pick<EvalPlan, "name" | "started_at" | "commit"> {
  readonly eval_id: string;
  readonly file: string;
  readonly workflow: string;
  /** Null: it was not finished. */
  readonly ended_at: string | null;
  readonly planned: number;
  readonly done: number;
  readonly summary: readonly VariantSummary[];
  readonly problems: readonly string[];
}

export interface WholeEval extends ShownEval {
  readonly rows: readonly Omit<EvalRow, "tokens" | "tags" | "errors" | "grading_usd">[];
  readonly differences: readonly Difference[];
}

/** Newest first. */
export const evalsShown = (session: Session): readonly ShownEval[] =>
  evalsBelow(session).map(({ folder, plan }) => {
    const { rows: _, differences: _differences, ...shown } = whole(folder, plan, session);
    return shown;
  });

/** Nothing when there is none of that id, or when its files are elsewhere. */
export function evalShown(id: string, session: Session): WholeEval | undefined {
  const found = evalsBelow(session).find(({ plan }) => plan.id === id);
  return found && whole(found.folder, found.plan, session);
}

const evalsBelow = (session: Session): ReturnType<typeof evalsIn> =>
  evalsIn(homeOf(session)).filter(({ plan }) => [plan.file, plan.workflow].every((file) => isBelow(file, session.cwd)));

function whole(folder: EvalFolder, plan: EvalPlan, { cwd, env }: Session): WholeEval {
  const variants = plan.variants.map(({ name }) => name);
  const order = new Map(plan.runs.map(({ run_id }, index) => [run_id, index]));
  const rows = [...folder.rows()].sort((a, b) => (order.get(a.run_id) ?? 0) - (order.get(b.run_id) ?? 0));
  const end = folder.result();
  const redactor = environmentRedactor(env);
  return {
    eval_id: plan.id,
    ...{ name: plan.name, file: shownPath(plan.file, cwd), workflow: shownPath(plan.workflow, cwd) },
    ...{ started_at: plan.started_at, ended_at: end?.ended_at ?? null, commit: plan.commit },
    ...{ planned: plan.runs.length, done: rows.length },
    summary: summaryOf(variants, rows, plan.repeat),
    problems: (end?.answer as OneEval | undefined)?.problems ?? [],
    // Grades say what they found in an output.
    rows: redactor.value(
      rows.map(({ tokens: _, tags: _tags, errors: _errors, grading_usd: _grading, ...row }) => row),
    ) as WholeEval["rows"],
    differences: differencesBetween(variants, rows),
  };
}
