// `segno test`: runs scenarios, side by side, and says what differed and what no scenario ever took.

import { type Head, head } from "../../base/results/index.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { orRefused, refusal } from "../../services/refusals.ts";
import { filesOf, withSnapshot } from "../../services/session/files.ts";
import { programName } from "../../services/session/program-name.ts";
import type { Session } from "../../services/session/session.ts";
import { Coverage, type CoverageReport } from "./coverage.ts";
import { discoverScenarios, loadScenario, ScenarioError } from "./file.ts";
import { runScenario, type ScenarioReport } from "./run-scenario.ts";

export interface TestRequest {
  readonly paths: readonly string[];
  readonly coverage?: boolean;
  readonly minErrorCoverage?: number;
  /** false with `--no-strict`. */
  readonly strict?: boolean;
  /** Called before a scenario begins, with the calls that it lets run for real. */
  readonly onRealCalls?: (file: string, calls: readonly string[]) => void;
  /** Called with each scenario's report as it ends. */
  readonly onScenario?: (report: ScenarioReport) => void;
}

export interface TestAnswer extends Head {
  readonly scenarios: readonly ScenarioReport[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly coverage?: CoverageReport;
}

/** Scenarios share one thread; a few at a time hide each other's waits for real processes. */
const AT_A_TIME = 4;

export const testScenarios = (session: Session, request: TestRequest): Promise<TestAnswer> =>
  orRefused(session, { scenarios: [], passed: 0, failed: 0, skipped: 0 }, () => runAll(withSnapshot(session), request));

async function runAll(session: Session, request: TestRequest): Promise<TestAnswer> {
  const found = discoverScenarios(request.paths, session.cwd);
  if (found.length === 0)
    throw refusal("there are no scenarios here: files named *.scenario.yaml, or folders with a scenario.yaml");
  const files = request.paths.length > 0 ? found : found.filter((file) => isOffered(file, session));
  if (files.length === 0)
    throw refusal("there are no scenarios here of a workflow that segno.yaml offers under `workflows`", {
      hint: `${programName(session.env)} test PATH plays what is named.`,
    });
  const checked = new Map<string, LoadedWorkflow>();
  const coverage = new Coverage();
  const reports = new Array<ScenarioReport>(files.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < files.length; index = next++) {
      const { report, workflow, events } = await runScenario(files[index] ?? "", session, { ...request, checked });
      if (workflow) coverage.add(workflow, events);
      reports[index] = report;
      request.onScenario?.(report);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, files.length) }, worker));

  const skipped = reports.filter((report) => report.skipped !== undefined).length;
  const failed = reports.filter((report) => !report.passed).length;
  const measured =
    request.coverage || request.minErrorCoverage !== undefined ? coverage.report(session.cwd) : undefined;
  const below = tooLittle(measured, request.minErrorCoverage);
  const error = failed > 0 ? `${failed} of ${reports.length} scenarios failed` : below;
  return {
    ...head(error ? 1 : 0),
    error: error ?? null,
    scenarios: reports,
    passed: reports.length - failed - skipped,
    failed,
    skipped,
    ...(measured ? { coverage: measured } : {}),
  };
}

/** What is tested where nothing is named: scenarios of the workflows that the project offers. A broken one is found out. */
function isOffered(file: string, session: Session): boolean {
  const { project } = session;
  if (!project?.offers) return true;
  try {
    return project.offers(loadScenario(file, session.cwd, filesOf(session)).workflow);
  } catch (problem) {
    if (problem instanceof ScenarioError) return true;
    throw problem;
  }
}

function tooLittle(report: CoverageReport | undefined, wanted: number | undefined): string | undefined {
  const percent = report?.error_routes_percent ?? null;
  if (wanted === undefined || percent === null || percent >= wanted) return undefined;
  return `${percent} % of the error routes are taken, and ${wanted} % are wanted`;
}
