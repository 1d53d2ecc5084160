// Runs one scenario: the real engine on a virtual clock, with a journal in memory, held against what it expects.
import { initialState } from "../../events/fold.ts";
import { remember } from "../../events/recall.ts";
import type { RunEvent } from "../../events/registry.ts";
import { visitsOf } from "../../events/visit-fold.ts";
import { VirtualClock } from "../../hosts/clock.ts";
import { newRunId } from "../../hosts/embedded/run-id.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Result } from "../../results/result.ts";
import { driveRun } from "../drive-run.ts";
import { isGoverned } from "../governance/needed.ts";
import { prepareRun, withInputs } from "../prepared-run.ts";
import { realWorld } from "../real-world.ts";
import { resultOfRun } from "../report.ts";
import type { GivenInput, Surroundings } from "../request.ts";
import { workflowStarted } from "../run-events.ts";
import { shownPath } from "../shown-path.ts";
import { differencesFrom } from "./expect.ts";
import { type LoadedScenario, loadScenario, ScenarioError } from "./file.ts";
import { memoryRun } from "./memory-run.ts";
import { scenarioFor } from "./setup.ts";
import { shimsFor } from "./shims.ts";
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

export interface ScenarioOptions extends Surroundings {
  /** `--no-strict`. */
  readonly strict?: boolean;
  /** Workflows that were checked already, by file. */
  readonly checked: Map<string, LoadedWorkflow>;
}

export async function runScenario(file: string, options: ScenarioOptions): Promise<ScenarioOutcome> {
  const began = performance.now();
  const { cwd } = options;
  const shown = shownPath(file, cwd);
  const report = (
    loaded: LoadedScenario | undefined,
    problems: readonly string[],
    skipped?: string,
  ): ScenarioReport => ({
    file: shown,
    name: loaded?.scenario.name ?? shown.replace(/(\.scenario)?\.ya?ml$/, ""),
    workflow: loaded ? shownPath(loaded.workflow, cwd) : "",
    passed: problems.length === 0,
    ...(skipped === undefined ? {} : { skipped }),
    problems,
    duration_ms: Math.round(performance.now() - began),
  });
  let loaded: LoadedScenario | undefined;
  try {
    loaded = loadScenario(file, cwd);
    if (loaded.scenario.skip !== undefined) return { report: report(loaded, [], loaded.scenario.skip), events: [] };
    const { problems, ...played } = await play(loaded, options);
    return { report: report(loaded, problems), ...played };
  } catch (problem) {
    if (!(problem instanceof ScenarioError)) throw problem;
    return { report: report(loaded, [problem.message]), events: [] };
  }
}

interface Played {
  readonly problems: readonly string[];
  readonly workflow?: LoadedWorkflow;
  readonly events: readonly RunEvent[];
  readonly status?: string;
}

async function play({ workflow: file, scenario }: LoadedScenario, options: ScenarioOptions): Promise<Played> {
  const asked = strictly(scenario, options.strict);
  const shims = shimsFor(asked, options.env.PATH ?? "");
  const surroundings = {
    ...options,
    env: { ...options.env, ...scenario.env, ...(shims ? { PATH: shims.path } : {}) },
  };
  const given: Record<string, GivenInput> = Object.fromEntries(
    Object.entries(scenario.inputs).map(([name, value]) => [name, { value }]),
  );
  const known = options.checked.get(file);
  // A file that is only ever called may be tested by itself: what it propagates is then unhandled.
  const prepared = known
    ? withInputs(known, given, surroundings)
    : prepareRun(file, given, surroundings, { asChild: true });
  if (!prepared.ok) return { problems: prepared.result.errors.map(sentence), events: [] };
  const { workflow, inputs, split, redactor } = prepared.run;
  options.checked.set(file, workflow);
  const strangers = unknownNames(scenario, workflow);
  if (strangers.length > 0) {
    shims?.close();
    return { problems: strangers, workflow, events: [] };
  }
  const real = realWorld(surroundings, workflow, redactor);
  const scripted = scenarioFor(asked, real);
  const run = memoryRun(newRunId());
  const clock = new VirtualClock();
  const state = initialState(run.runId);
  const guarding = { cwd: options.cwd, redactor, workflow, run, state, clock, isolated: true };
  const governed = isGoverned(workflow) ? (await import("../governance/index.ts")).guardOf(guarding) : undefined;
  try {
    await driveRun({
      ...surroundings,
      ...scripted.driving,
      ...(governed ? { guard: governed.guard } : {}),
      log: run,
      workflow,
      inputs,
      redactor,
      state,
      recall: remember([]),
      clock,
      world: scripted.world,
      hashing: { env: surroundings.env, key: "scenario" },
      begin: (note) => note([], "workflow_started", workflowStarted(workflow, split.journal, "process", options.cwd)),
    });
    const result = resultOfRun(state, { cwd: options.cwd, folder: "", redactor, workflow });
    const problems = problemsOf(scenario, result, run.events, clock);
    return { problems, workflow, events: run.events, status: result.status };
  } finally {
    governed?.close();
    await real.close();
    run.close();
    shims?.close();
  }
}

const strictly = <One extends { readonly strict?: boolean }>(scenario: One, strict: boolean | undefined): One =>
  strict === undefined ? scenario : { ...scenario, strict };

function problemsOf(
  scenario: LoadedScenario["scenario"],
  result: Result,
  events: readonly RunEvent[],
  clock: VirtualClock,
): readonly string[] {
  const unscripted = result.errors
    .filter((error) => error.error_type === "ScenarioError")
    .map((error) => error.message);
  if (unscripted.length > 0) return unscripted;
  const { status, exit_code, output } = result;
  const expected = scenario.expected_trace ?? {};
  const reached = {
    trace: scenarioTrace(visitsOf(events)),
    status,
    exit_code,
    output,
    waits_seconds: clock.waited / 1000,
  };
  const problems = differencesFrom(expected, reached);
  // A failure that nobody expected explains the differences better than the differences do.
  const asked = ["status", "exit_code", "errors_raised"].some((name) => name in expected);
  return problems.length > 0 && !asked && !result.success && result.error
    ? [...problems, `the run failed: ${result.error}`]
    : problems;
}

const sentence = ({ message, location }: Result["errors"][number]): string =>
  location ? `${location.file}:${location.line}:${location.column}: ${message}` : message;
