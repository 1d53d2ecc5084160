// Evals: a workflow over rows, in variants, graded.
import type { VariantComparison } from "../services/eval/compare.ts";
import type { Grade } from "../services/eval/graders/grade.ts";
import type { GradedRow, GradeVerdict, OwnGrader } from "../services/eval/graders/own-grader.ts";
import type { EvalSettings, EvalAnswer as WholeAnswer } from "../services/eval/run-eval.ts";
import type { EvalRow, Rate, VariantSummary } from "../services/eval/summary.ts";
import type { Options, StoreOptions } from "./options.ts";
import { extensionsOf } from "./services-of.ts";
import { allOf, givenOf, STANDING, standingOf } from "./standing.ts";
import { checkCall } from "./wrong-call.ts";

export type {
  EvalRow,
  Grade as EvalGrade,
  GradedRow,
  GradeVerdict,
  OwnGrader,
  Rate as EvalRate,
  VariantComparison as EvalComparison,
  VariantSummary as EvalSummary,
};

const ASKED = allOf<EvalSettings>()(["dryRun", "resume", "compare", "parallel", "onRow"]);

export interface EvalOptions extends StoreOptions, Pick<Options, "steps" | "providers">, EvalSettings {
  readonly signal?: AbortSignal;
  /** What defineGrader gave. */
  readonly graders?: readonly OwnGrader[];
}

export type EvalAnswer = Omit<WholeAnswer, "evals">;

/**
 * Runs an eval file, or all of a folder: each row with each variant, as an ordinary run, and graded.
 *
 * @example
 * const { summary, rows } = await runEval("triage.eval.yaml", { compare: "main" });
 * for (const { variant, rate, low, high } of summary) console.log(variant, rate, low, high);
 */
export async function runEval(path: string, options: EvalOptions = {}): Promise<EvalAnswer> {
  await checkCall("runEval", ["the path of an eval file or folder", path], options, [
    ...STANDING,
    "steps",
    "providers",
    "graders",
    "signal",
    ...ASKED,
  ]);
  const services = await import("../services/eval/run-eval.ts");
  const extensions = await extensionsOf(options);
  const graders = Object.fromEntries((options.graders ?? []).map((one) => [one.name, one]));
  const { evals: _, ...answer } = await services.runEval(
    { ...standingOf(options), extensions: { ...extensions, graders } },
    { path, ...givenOf(options, ASKED) },
    givenOf(options, ["signal"]),
  );
  return answer;
}
