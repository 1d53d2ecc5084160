// Evals: a workflow over rows, in variants, graded.
import type { Head, ResultStatus } from "../results/result.ts";
import type { GradedRow, GradeVerdict, OwnGrader } from "../services/eval/graders/own-grader.ts";
import { calledAs } from "./called-as.ts";
import type { Options, StoreOptions } from "./options.ts";
import { extensionsOf } from "./services-of.ts";
import { given, STANDING, standingOf } from "./standing.ts";
import { checkGiven, checkText } from "./wrong-call.ts";

export type { GradedRow, GradeVerdict, OwnGrader };

export interface EvalOptions extends StoreOptions, Pick<Options, "steps" | "providers"> {
  /** What defineGrader gave. */
  readonly graders?: readonly OwnGrader[];
  /** Only say what would be real. */
  readonly dryRun?: boolean;
  /** Go on with the newest eval of the file that was not finished. */
  readonly resume?: boolean;
  /** A JSON result, the id of an eval, or a revision of git. */
  readonly compare?: string;
  /** How many rows run at a time; 4 when left out. */
  readonly parallel?: number;
  readonly signal?: AbortSignal;
  /** Called after each row. */
  readonly onRow?: (row: EvalRow, done: number, total: number) => void;
}

export interface EvalGrade {
  readonly name: string;
  /** Null: it could not be made. */
  readonly passed: boolean | null;
  readonly score: number | null;
  readonly why: string | null;
}

export interface EvalRow {
  readonly id: string;
  readonly variant: string;
  readonly repeat: number;
  /** Null: not measured. */
  readonly passed: boolean | null;
  readonly grades: readonly EvalGrade[];
  readonly run_id: string;
  /** How its run ended. */
  readonly status: ResultStatus | "not_run";
  readonly kind: string | null;
  readonly cost_usd: number | null;
  readonly duration_ms: number | null;
  readonly tokens: number | null;
  readonly tags: readonly string[];
  readonly errors: readonly string[];
  readonly why: string | null;
  readonly grading_usd: number;
}

/** How many passed, with the 95 % interval of the share; null where nothing was measured. */
export interface EvalRate {
  readonly measured: number;
  readonly passed: number;
  readonly rate: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export interface EvalSummary extends EvalRate {
  readonly variant: string;
  readonly not_measured: number;
  readonly k?: number;
  readonly pass_at_k?: number | null;
  readonly pass_all_k?: number | null;
  readonly cost_usd: number;
  readonly tokens: number;
  readonly duration_ms: { readonly median: number; readonly p95: number } | null;
  readonly errors: Readonly<Record<string, number>>;
  readonly tags: readonly (EvalRate & { readonly tag: string })[];
}

export interface EvalComparison {
  readonly variant: string;
  readonly was: number | null;
  readonly now: number | null;
  readonly broken: readonly string[];
  readonly fixed: readonly string[];
  readonly p: number;
  readonly significantly_worse: boolean;
  readonly cost_usd: { readonly was: number; readonly now: number };
  readonly errors: Readonly<Record<string, { readonly was: number; readonly now: number }>>;
}

export interface EvalAnswer extends Head {
  readonly eval_id: string | null;
  readonly file: string;
  readonly workflow: string;
  readonly rows: readonly EvalRow[];
  readonly summary: readonly EvalSummary[];
  /** Rows on which variants do not agree: the share that passed in each. */
  readonly differences: readonly { readonly id: string; readonly passed: Readonly<Record<string, number | null>> }[];
  readonly compare?: readonly EvalComparison[];
  /** Only with `dryRun`. */
  readonly preview?: {
    readonly runs: number;
    readonly rows: number;
    readonly live: readonly { readonly step: string; readonly type: string; readonly model?: string }[];
    readonly answered: readonly string[];
    readonly graders: readonly string[];
    readonly estimate_usd: number | null;
    readonly past_runs: number;
  };
}

/**
 * Runs an eval file, or all of a folder: each row with each variant, as an ordinary run, and graded.
 *
 * @example
 * const { summary, rows } = await runEval("triage.eval.yaml", { compare: "main" });
 * for (const { variant, rate, low, high } of summary) console.log(variant, rate, low, high);
 */
export async function runEval(path: string, options: EvalOptions = {}): Promise<EvalAnswer> {
  checkText(calledAs(options, "runEval"), "the path of an eval file or folder", path);
  await checkGiven("runEval", options, [
    ...STANDING,
    ...["steps", "providers", "graders", "dryRun", "resume", "compare", "parallel", "signal", "onRow"],
  ]);
  const services = await import("../services/eval/run-eval.ts");
  const { graders = [], dryRun, resume, compare, parallel, signal, onRow } = options;
  const extensions = await extensionsOf(options);
  const own = Object.fromEntries(graders.map((one) => [one.name, one]));
  const { evals: _, ...answer } = await services.runEval(
    { ...standingOf(options), extensions: { ...extensions, graders: own } },
    { path, ...given({ dryRun, resume, compare, parallel, signal, onRow }) },
  );
  return answer;
}
