// Testing workflows offline: scenarios, and writing those that are missing.
import type { Head } from "../results/result.ts";
import { calledAs } from "./called-as.ts";
import type { Options, StoreOptions } from "./options.ts";
import { extensionsOf } from "./services-of.ts";
import { given, LOADING, STANDING, standingOf } from "./standing.ts";
import { checkGiven, checkTaken, checkText, isTexts } from "./wrong-call.ts";

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

export interface ScenarioReport {
  readonly file: string;
  readonly name: string;
  readonly workflow: string;
  readonly passed: boolean;
  /** Why it was not run. */
  readonly skipped?: string;
  readonly problems: readonly string[];
  /** The problems again, their places apart from their words. */
  readonly findings: readonly {
    readonly message: string;
    readonly place?: { readonly file: string; readonly line: number; readonly column: number };
  }[];
  /** Answers of people that did not count, and why; absent when there were none. */
  readonly refused?: readonly string[];
  readonly duration_ms: number;
}

/** How many there are, and how many a scenario took. */
export interface Share {
  readonly total: number;
  readonly taken: number;
}

export interface TestAnswer extends Head {
  readonly scenarios: readonly ScenarioReport[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly coverage?: {
    readonly files: readonly {
      readonly file: string;
      readonly steps: Share;
      readonly success_routes: Share;
      readonly error_routes: Share;
      readonly untaken: readonly {
        readonly what: "step" | "success route" | "error route";
        readonly node: string;
        readonly line: number;
        readonly route?: string;
      }[];
    }[];
    /** null when there is no error route. */
    readonly error_routes_percent: number | null;
  };
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
  await checkGiven("test", options, [...LOADING, "coverage", "minErrorCoverage", "strict", "onScenario"]);
  const { testScenarios } = await import("../services/scenarios/test.ts");
  const { coverage, minErrorCoverage, strict, onScenario } = options;
  return testScenarios(
    { ...standingOf(options), extensions: await extensionsOf(options) },
    {
      paths: all,
      ...given({ coverage, minErrorCoverage, strict, onScenario }),
    },
  );
}

export interface GenerateOptions extends Surrounded {
  /** Where scenarios are looked for and written; `tests` beside the file when left out. */
  readonly folder?: string;
}

export interface GenerateAnswer extends Head {
  /** What was written; `skip` says what stood in the way of one that is only a beginning. */
  readonly generated: readonly { readonly file: string; readonly route: string; readonly skip?: string }[];
  readonly skipped: number;
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
  checkText(calledAs(options, "generateScenarios"), "the path of a workflow file", file);
  await checkGiven("generateScenarios", options, ["cwd", "env", "folder"]);
  const { generateScenarios: generate } = await import("../services/scenarios/generate-scenarios.ts");
  const { folder } = options;
  return generate(standingOf(options), { file, paths: folder === undefined ? [] : [folder] });
}

export interface RecordOptions extends StoreOptions, Own {
  /** The scenario file, or the folder for it; `tests` beside the workflow when left out. */
  readonly to?: string;
  /** A scenario whose fields need not be written again. */
  readonly extends?: string;
  /** The scenario ends after this step. */
  readonly until?: string;
}

export interface RecordAnswer extends Head {
  readonly run_id: string | null;
  readonly file: string | null;
  /** Played at once. */
  readonly passed: boolean;
  readonly problems: readonly string[];
  /** What the scenario cannot say of the run, or says otherwise. */
  readonly notes: readonly string[];
}

/**
 * Writes a scenario that plays a run again, offline, and plays it once.
 *
 * @example
 * const { file, passed } = await record("01J…", { to: "tests" });
 *
 * @deprecated Use `segno.runs.record` of a client, which `createSegno` makes.
 */
export async function record(run: string, options: RecordOptions = {}): Promise<RecordAnswer> {
  checkText(calledAs(options, "record"), "the id of a run", run);
  await checkGiven("record", options, [...STANDING, "steps", "providers", "to", "extends", "until"]);
  const { recordScenario } = await import("../services/history/record.ts");
  const { to, extends: base, until } = options;
  return recordScenario(
    { ...standingOf(options), extensions: await extensionsOf(options) },
    {
      run,
      ...given({ to, extends: base, until }),
    },
  );
}

export interface BacktestOptions extends StoreOptions, Own {
  /** These runs; the newest of the file when left out. */
  readonly runs?: readonly string[];
  /** At most so many of the newest; 100 when left out. */
  readonly limit?: number;
  /** Only those that began within this time: `30d`. */
  readonly since?: string;
  /** Compare with this file, or this revision of git, instead of what each run was driven with. */
  readonly against?: string;
  /** Not a success when a run would be worse, or differ at all. */
  readonly failOn?: "worse" | "changed";
  /** Called after each run. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What an edit would have done to one run. */
export interface RunVerdict {
  readonly run_id: string;
  readonly verdict: "same" | "rerouted" | "better" | "worse" | "output" | "unknown";
  readonly step: string | null;
  readonly file: string | null;
  readonly line: number | null;
  /** The change in that line: `max 4 → 2`. */
  readonly change: string | null;
  /** How it ended: `failed with vcs.drift`. */
  readonly was: string;
  readonly now: string;
  /** Fields of the output that differ. */
  readonly fields?: readonly string[];
  /** Why it is not known. */
  readonly why?: string;
}

export interface BacktestAnswer extends Head {
  readonly file: string;
  readonly newest: string | null;
  readonly counts: Readonly<Record<RunVerdict["verdict"], number>>;
  readonly runs: readonly RunVerdict[];
  /** Runs that end alike, and one of them. */
  readonly groups: readonly (Omit<RunVerdict, "run_id"> & { readonly count: number; readonly example: string })[];
}

/**
 * Plays past runs through a workflow file as it is now, offline: what an edit would have done to them.
 *
 * @example
 * const { counts, groups } = await backtest("release.yaml", { since: "30d", failOn: "worse" });
 *
 * @deprecated Use `segno.workflows.backtest` of a client, which `createSegno` makes.
 */
export async function backtest(file: string, options: BacktestOptions = {}): Promise<BacktestAnswer> {
  checkText(calledAs(options, "backtest"), "the path of a workflow file", file);
  await checkGiven("backtest", options, [
    ...STANDING,
    ...["steps", "providers", "runs", "limit", "since", "against", "failOn", "onProgress"],
  ]);
  const services = await import("../services/history/backtest.ts");
  const { runs, limit, since, against, failOn, onProgress } = options;
  return services.backtest(
    { ...standingOf(options), extensions: await extensionsOf(options) },
    {
      file,
      ...given({ runs, limit, since, against, failOn, onProgress }),
    },
  );
}

export interface ForecastOptions extends StoreOptions, Own {
  /** How often the file is played; 1000 when left out. */
  readonly plays?: number;
  /** Draw only from runs that began within this time: `90d`. */
  readonly since?: string;
  /** The same seed gives the same forecast. */
  readonly seed?: number;
  /** Forecast the newer half of the runs from the older half. */
  readonly check?: boolean;
  /** Called after each play. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** How plays end, as shares from 0 to 1. */
export interface ForecastShares {
  readonly completed: number;
  readonly degraded: number;
  readonly failed: number;
  readonly waiting: number;
  readonly unknown: number;
}

export interface ForecastAnswer extends Head {
  readonly file: string;
  readonly plays: number;
  readonly history: number;
  readonly shares: ForecastShares;
  readonly failures: Readonly<Record<string, number>>;
  readonly seconds: { readonly median: number; readonly p95: number };
  readonly cost_usd: { readonly median: number; readonly p95: number };
  readonly costly: readonly { readonly kind: string; readonly seconds: number; readonly cost_usd: number }[];
  /** Steps that were answered as others of their type were. */
  readonly borrowed: readonly string[];
  readonly what_if: readonly { readonly change: string; readonly completed: number }[];
  readonly check?: { readonly actual: ForecastShares; readonly off_by: number; readonly runs: number };
}

/**
 * How often a workflow file would succeed, how long it would take and what it would cost, from what its steps did before.
 *
 * @example
 * const { shares, seconds } = await forecast("release.yaml", { since: "90d" });
 *
 * @deprecated Use `segno.workflows.forecast` of a client, which `createSegno` makes.
 */
export async function forecast(file: string, options: ForecastOptions = {}): Promise<ForecastAnswer> {
  checkText(calledAs(options, "forecast"), "the path of a workflow file", file);
  await checkGiven("forecast", options, [
    ...STANDING,
    ...["steps", "providers", "plays", "since", "seed", "check", "onProgress"],
  ]);
  const services = await import("../services/history/forecast.ts");
  const { plays, since, seed, check, onProgress } = options;
  return services.forecast(
    { ...standingOf(options), extensions: await extensionsOf(options) },
    {
      file,
      ...given({ plays, since, seed, check, onProgress }),
    },
  );
}
