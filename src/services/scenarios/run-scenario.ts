// Runs one scenario: the real engine on a virtual clock, with a journal in memory, held against what it expects.
import type { RunEvent } from "../../events/registry.ts";
import { visitsOf } from "../../events/visits/visit-fold.ts";
import { type HostClock, VirtualClock } from "../../hosts/clock.ts";
import { newRunId } from "../../hosts/run-id.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Result } from "../../results/result.ts";
import { withDefinition } from "../defined/with-definition.ts";
import { fresh } from "../drive/fresh.ts";
import { interpretRun } from "../drive/interpret-run.ts";
import type { DriveSetup } from "../drive/setup.ts";
import { hasPolicyModule, isGoverned } from "../governance/needed.ts";
import { Refused } from "../refusals.ts";
import { resultOfRun } from "../runs/report.ts";
import { overlaidFiles } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";
import { AFTER_THAT, causesOf, differencesFrom, refusalsIn } from "./expect.ts";
import { type LoadedScenario, loadScenario, problemSentence, ScenarioError, type ScenarioProblem } from "./file.ts";
import { type MemoryRun, memoryRun } from "./memory-run.ts";
import { realCalls } from "./real-calls.ts";
import { isLiveScenario } from "./setup.ts";
import { scenarioTrace } from "./trace.ts";
import { unknownNames } from "./unknown-names.ts";

export interface ScenarioReport {
  readonly file: string;
  readonly name: string;
  readonly workflow: string;
  readonly passed: boolean;
  /** Why it was not run. */
  readonly skipped?: string;
  readonly problems: readonly string[];
  /** The problems again, their places apart from their words. */
  readonly findings: readonly ScenarioProblem[];
  /** Answers of people that did not count, and why; absent when there were none. */
  readonly refused?: readonly string[];
  readonly duration_ms: number;
}

/** What coverage needs beside the report. */
export interface ScenarioOutcome {
  readonly report: ScenarioReport;
  readonly workflow?: LoadedWorkflow;
  readonly events: readonly RunEvent[];
  /** How the run ended. */
  readonly status?: string;
}

export interface ScenarioOptions {
  /** `--no-strict`. */
  readonly strict?: boolean;
  /** Workflows that were checked already, by file. */
  readonly checked: Map<string, LoadedWorkflow>;
  /** Files that are read as if they had these texts. */
  readonly proposed?: ReadonlyMap<string, string>;
  /** For a folder that is not trusted: a scenario that would execute something of it, or call anything, is not played. */
  readonly offline?: boolean;
  /** Called before it begins, with the calls that the scenario of that file lets run for real. */
  readonly onRealCalls?: (file: string, calls: readonly string[]) => void;
}

export async function runScenario(file: string, session: Session, options: ScenarioOptions): Promise<ScenarioOutcome> {
  const began = performance.now();
  const shown = shownPath(file, session.cwd);
  const report = (
    loaded: LoadedScenario | undefined,
    findings: readonly ScenarioProblem[],
    skipped?: string,
  ): ScenarioReport => ({
    file: shown,
    name: loaded?.scenario.name ?? shown.replace(/(\.scenario)?\.ya?ml$/, ""),
    workflow: loaded ? shownPath(loaded.workflow, session.cwd) : "",
    passed: findings.length === 0,
    ...(skipped === undefined ? {} : { skipped }),
    problems: findings.map(problemSentence),
    findings,
    duration_ms: Math.round(performance.now() - began),
  });
  let loaded: LoadedScenario | undefined;
  try {
    loaded = loadScenario(file, session.cwd, options.proposed && overlaidFiles(options.proposed, session.env));
    if (loaded.scenario.skip !== undefined) return { report: report(loaded, [], loaded.scenario.skip), events: [] };
    if (options.offline && isLiveScenario(loaded.scenario))
      return { report: report(loaded, [], NOT_OFFLINE), events: [] };
    const { problems, ...played } = await play(loaded, session, options);
    const refused = refusalsIn(played.events);
    return { report: { ...report(loaded, problems), ...(refused.length > 0 ? { refused } : {}) }, ...played };
  } catch (problem) {
    if (!(problem instanceof ScenarioError)) throw problem;
    return { report: { ...report(loaded, problem.problems), problems: [problem.message] }, events: [] };
  }
}

const NOT_OFFLINE = "it lets something run for real";

interface Played {
  readonly problems: readonly ScenarioProblem[];
  readonly workflow?: LoadedWorkflow;
  readonly events: readonly RunEvent[];
  readonly status?: string;
}

async function play(loaded: LoadedScenario, given: Session, options: ScenarioOptions): Promise<Played> {
  const { workflow: file, scenario } = loaded;
  const run = memoryRun(newRunId());
  let setup: DriveSetup | undefined;
  try {
    const session = await withDefinition(given, file);
    const { cwd } = session;
    const { checked } = options;
    setup = await fresh(session, {
      ...options,
      ...(options.offline ? { strict: true } : {}),
      runId: run.runId,
      file,
      inputs: {},
      scenario: loaded,
      isTest: true,
      checked: isEdited(scenario) ? undefined : checked.get(file),
    });
    const { workflow, state } = setup;
    if (!isEdited(scenario)) checked.set(file, workflow);
    // Asked of the file as the scenario has it: `set` may bring a policy.
    if (options.offline && hasPolicyModule(workflow)) return { problems: [{ message: NOT_OFFLINE }], events: [] };
    const strangers = unknownNames(loaded, workflow);
    const { strict = scenario.strict } = options;
    const real = realCalls({ ...scenario, strict }, workflow);
    if (real.length > 0) options.onRealCalls?.(shownPath(loaded.file, cwd), real);
    await driveInMemory(setup, run);
    const result = resultOfRun(state, { ...setup, cwd, folder: "" });
    const problems = [
      ...strangers,
      ...problemsOf(scenario, result, run.events, setup.clock).map((message) => ({ message })),
    ];
    return { problems, workflow, events: run.events, status: result.status };
  } catch (problem) {
    // A file or inputs that do not load are what the scenario finds, not what is wrong with it.
    if (problem instanceof ScenarioError || !(problem instanceof Refused)) throw problem;
    return {
      problems: problem.result.errors.map(({ message, location }) => ({
        message,
        ...(location ? { place: location } : {}),
      })),
      events: [],
    };
  } finally {
    await setup?.close();
    run.close();
  }
}

/** Then the file is another one than other scenarios of it have. */
const isEdited = ({ set, until }: LoadedScenario["scenario"]): boolean =>
  until !== undefined || Object.keys(set).length > 0;

async function driveInMemory(setup: DriveSetup, run: MemoryRun): Promise<void> {
  const governed = isGoverned(setup.workflow)
    ? (await import("../governance/index.ts")).guardOf({ ...setup, run })
    : undefined;
  try {
    await interpretRun(
      setup,
      {},
      {
        log: run,
        hashing: { env: setup.session.env, key: "scenario" },
        ...(governed ? { guard: governed.guard } : {}),
      },
    );
  } finally {
    governed?.close();
  }
}

function problemsOf(
  scenario: LoadedScenario["scenario"],
  result: Result,
  events: readonly RunEvent[],
  clock: HostClock,
): readonly string[] {
  const { status, exit_code, output, termination } = result;
  const expected = scenario.expected_trace ?? {};
  const unscripted = result.errors
    .filter((error) => error.error_type === "ScenarioError")
    .flatMap((error) => error.message.split(AFTER_THAT));
  const reached = {
    trace: scenarioTrace(visitsOf(events)),
    status,
    exit_code,
    output,
    terminated_by: termination?.terminated_by ?? null,
    waits_seconds: clock instanceof VirtualClock ? clock.waited / 1000 : 0,
  };
  const problems = unscripted.length > 0 ? unscripted : differencesFrom(expected, reached);
  return problems.length > 0
    ? [...new Set([...refusalsIn(events), ...causesOf(scenario, result, events), ...problems])]
    : [];
}
