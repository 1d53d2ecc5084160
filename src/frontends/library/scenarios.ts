// Testing workflows offline: scenarios, writing those that are missing, past runs played again, and evals.

import type { Grade, GradedRow, GradeVerdict, OwnGrader } from "../../features/evals/graders/grade.ts";
import type { VariantComparison } from "../../features/evals/past-evals.ts";
import type { EvalSettings, EvalAnswer as WholeAnswer } from "../../features/evals/run-eval.ts";
import type { EvalRow, Rate, VariantSummary } from "../../features/evals/summary.ts";
import type { BacktestAnswer, BacktestRequest } from "../../features/history/backtest.ts";
import type { RecordAnswer, RecordRequest } from "../../features/history/record.ts";
import type { RunVerdict } from "../../features/history/verdict.ts";
import type { Share } from "../../features/scenarios/coverage.ts";
import type { GenerateAnswer } from "../../features/scenarios/generate-scenarios.ts";
import type { ScenarioReport } from "../../features/scenarios/run-scenario.ts";
import type { TestAnswer } from "../../features/scenarios/test.ts";
import type { Options, StoreOptions } from "./options.ts";
import { allOf, extensionsOf, givenOf, LOADING, STANDING, standingOf, standingWith } from "./services-of.ts";
import { calledAs } from "./wording.ts";
import { checkCall, checkGiven, checkTaken, isTexts } from "./wrong-call.ts";

export type { BacktestAnswer, GenerateAnswer, RecordAnswer, RunVerdict, ScenarioReport, Share, TestAnswer };

type Surrounded = Omit<StoreOptions, "store">;
type Own = Pick<Options, "steps" | "providers">;

export interface TestOptions extends Surrounded, Own {
  /** Measure which steps and routes the scenarios took. */
  readonly coverage?: boolean;
  /** Fail below this share of error routes, 0 to 100. */
  readonly minErrorCoverage?: number;
  /** false: what a scenario does not script is made up, not refused. */
  readonly strict?: boolean;
  /** Called with the report of each scenario as it ends. */
  readonly onScenario?: (report: ScenarioReport) => void;
}

/**
 * Runs scenarios: the real engine on the real files, with everything outside scripted and time virtual.
 *
 * @example
 * const { success, scenarios } = await test("tests", { minErrorCoverage: 80 });
 * if (!success) for (const { name, problems } of scenarios) console.error(name, problems);
 *
 * @deprecated Use `segno.workflows.test` of a client, which `createSegno` makes.
 */
export async function test(paths: string | readonly string[] = [], options: TestOptions = {}): Promise<TestAnswer> {
  const all = typeof paths === "string" ? [paths] : paths;
  checkTaken(calledAs(options, "test"), ["paths of scenarios or folders", isTexts], all);
  const names = ["coverage", "minErrorCoverage", "strict", "onScenario"] as const;
  await checkGiven("test", options, [...LOADING, ...names]);
  const { testScenarios } = await import("../../features/scenarios/test.ts");
  return testScenarios(await standingWith(options), { paths: all, ...givenOf(options, names) });
}

export interface GenerateOptions extends Surrounded {
  /** Where scenarios are looked for and written; `tests` beside the file when left out. */
  readonly folder?: string;
}

/**
 * Writes a scenario for each error route that none takes yet.
 *
 * @example
 * const { generated } = await generateScenarios("release.yaml");
 * for (const { file, route } of generated) console.log(file, route);
 *
 * @deprecated Use `segno.workflows.generateScenarios` of a client, which `createSegno` makes.
 */
export async function generateScenarios(file: string, options: GenerateOptions = {}): Promise<GenerateAnswer> {
  await checkCall("generateScenarios", ["the path of a workflow file", file], options, ["cwd", "env", "folder"]);
  const { generateScenarios: generate } = await import("../../features/scenarios/generate-scenarios.ts");
  const { folder } = options;
  return generate(standingOf(options), { file, paths: folder === undefined ? [] : [folder] });
}

const RECORDING = ["to", "extends", "until"] as const;

export interface RecordOptions extends StoreOptions, Own, Pick<RecordRequest, (typeof RECORDING)[number]> {}

/**
 * Writes a scenario that plays a run again, offline, and plays it once.
 *
 * @example
 * const { file, passed } = await record("01J…", { to: "tests" });
 *
 * @deprecated Use `segno.runs.record` of a client, which `createSegno` makes.
 */
export async function record(run: string, options: RecordOptions = {}): Promise<RecordAnswer> {
  await checkCall("record", ["the id of a run", run], options, [...STANDING, "steps", "providers", ...RECORDING]);
  const { recordScenario } = await import("../../features/history/record.ts");
  return recordScenario(await standingWith(options), { run, ...givenOf(options, RECORDING) });
}

const BACKTESTING = ["runs", "limit", "since", "against", "failOn", "onProgress"] as const;

export interface BacktestOptions extends StoreOptions, Own, Pick<BacktestRequest, (typeof BACKTESTING)[number]> {}

/**
 * Plays past runs through a workflow file as it is now, offline: what an edit would have done to them.
 *
 * @example
 * const { counts, groups } = await backtest("release.yaml", { since: "30d", failOn: "worse" });
 *
 * @deprecated Use `segno.workflows.backtest` of a client, which `createSegno` makes.
 */
export async function backtest(file: string, options: BacktestOptions = {}): Promise<BacktestAnswer> {
  await checkCall("backtest", ["the path of a workflow file", file], options, [
    ...STANDING,
    "steps",
    "providers",
    ...BACKTESTING,
  ]);
  const services = await import("../../features/history/backtest.ts");
  return services.backtest(await standingWith(options), { file, ...givenOf(options, BACKTESTING) });
}

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
  const services = await import("../../features/evals/run-eval.ts");
  const extensions = await extensionsOf(options);
  const graders = Object.fromEntries((options.graders ?? []).map((one) => [one.name, one]));
  const { evals: _, ...answer } = await services.runEval(
    { ...standingOf(options), extensions: { ...extensions, graders } },
    { path, ...givenOf(options, ASKED) },
    givenOf(options, ["signal"]),
  );
  return answer;
}
