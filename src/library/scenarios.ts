// Testing workflows offline: scenarios, and writing those that are missing.
import type { Head } from "../results/result.ts";
import type { Options, StoreOptions } from "./options.ts";
import { extensionsOf } from "./services-of.ts";
import { given, LOADING, standingOf } from "./standing.ts";
import { checkGiven, checkText } from "./wrong-call.ts";

type Surrounded = Omit<StoreOptions, "store">;
type Own = Pick<Options, "steps" | "providers">;

export interface TestOptions extends Surrounded, Own {
  /** Measure which steps and routes the scenarios took. */
  readonly coverage?: boolean;
  /** Fail below this share of error routes, 0 to 100. */
  readonly minErrorCoverage?: number;
  /** false: what a scenario does not script is made up, not refused. */
  readonly strict?: boolean;
  /** Told of each scenario as it ends. */
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
 */
export async function test(paths: string | readonly string[] = [], options: TestOptions = {}): Promise<TestAnswer> {
  const all = typeof paths === "string" ? [paths] : paths;
  for (const path of all) checkText("test", "paths of scenarios or folders", path);
  await checkGiven("test", options, [...LOADING, "coverage", "minErrorCoverage", "strict", "onScenario"]);
  const { testScenarios } = await import("../services/test.ts");
  const { coverage, minErrorCoverage, strict, onScenario } = options;
  return testScenarios({
    ...standingOf(options),
    extensions: await extensionsOf(options),
    paths: all,
    ...given({ coverage, minErrorCoverage, strict, onScenario }),
  });
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
 */
export async function generateScenarios(file: string, options: GenerateOptions = {}): Promise<GenerateAnswer> {
  checkText("generateScenarios", "the path of a workflow file", file);
  await checkGiven("generateScenarios", options, ["cwd", "env", "folder"]);
  const { generateScenarios: generate } = await import("../services/generate.ts");
  const { folder } = options;
  return generate({ ...standingOf(options), file, paths: folder === undefined ? [] : [folder] });
}
