// Runs one scenario: the real engine on a virtual clock, with a journal in memory, held against what it expects.
import { fitsStars } from "../../base/errors/path-pattern.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { visitsOf } from "../../base/events/visits/visit-fold.ts";
import type { Result } from "../../base/results/result.ts";
import { familyOf, type LoadedWorkflow, stepsOf } from "../../language/loaded.ts";
import type { Step } from "../../language/schema/index.ts";
import { prepareRun } from "../../services/drive/prepare.ts";
import type { DriveSetup } from "../../services/drive/setup.ts";
import { withDefinition } from "../../services/project/with-definition.ts";
import { resultOfRun } from "../../services/reading/report.ts";
import { Refused } from "../../services/refusals.ts";
import { filesOf, overlaidFiles, shownPath } from "../../services/session/files.ts";
import type { Session } from "../../services/session/session.ts";
import { answeredBy } from "../../steps/types.ts";
import { type HostClock, VirtualClock } from "../../storage/clock.ts";
import { newRunId } from "../../storage/run-index.ts";
import { AFTER_THAT, causesOf, differencesFrom, refusalsIn, scenarioTrace } from "./expect.ts";
import { type LoadedScenario, loadScenario, problemSentence, ScenarioError, type ScenarioProblem } from "./file.ts";
import { driveInMemory, memoryRun } from "./memory-run.ts";
import type { ScenarioFile } from "./schema.ts";
import { isLiveScenario } from "./setup.ts";
import { unknownNames } from "./workflow-of-scenario.ts";

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
  readonly status?: string;
}

interface PlayOptions {
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

export async function runScenario(file: string, session: Session, options: PlayOptions): Promise<ScenarioOutcome> {
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
    const files = options.proposed ? overlaidFiles(options.proposed, session.env) : filesOf(session);
    loaded = loadScenario(file, session.cwd, { ...files, env: {} });
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

interface Played extends Omit<ScenarioOutcome, "report"> {
  readonly problems: readonly ScenarioProblem[];
}

async function play(loaded: LoadedScenario, given: Session, options: PlayOptions): Promise<Played> {
  const { workflow: file, scenario } = loaded;
  const run = memoryRun(newRunId());
  let setup: DriveSetup | undefined;
  try {
    const session = await withDefinition(given, file);
    const { cwd } = session;
    const { checked } = options;
    setup = await prepareRun(session, {
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
    const strangers = unknownNames(loaded, workflow);
    const { strict = scenario.strict } = options;
    const real = realCalls({ ...scenario, strict }, workflow);
    if (real.length > 0) options.onRealCalls?.(shownPath(loaded.file, cwd), real);
    await driveInMemory(setup, run, "scenario");
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
      // Where a place is named, it says where to look.
      problems: problem.result.errors.map(({ message, hint, location }) =>
        location ? { message, place: location } : { message: hint === undefined ? message : `${message}. ${hint}` },
      ),
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

/** `load runs ./load.sh`, `fetch sends GET https://…`; each once, in the order of the files. */
function realCalls(scenario: ScenarioFile, root: LoadedWorkflow): readonly string[] {
  const steps = familyOf(root).flatMap(({ definition }) => stepsOf(definition));
  return [...new Set(steps.flatMap((step) => realCall(step, scenario) ?? []))];
}

function realCall(step: Step, scenario: ScenarioFile): string | undefined {
  const { cli_scripts, http_scripts, mcp_scripts, step_scripts } = scenario;
  const { name } = step;
  const type: string = step.type;
  if (scenario.inject.some((one) => one.attempt === undefined && isAlways(one, name))) return undefined;
  if (isAsked(step, scenario)) return `${name} asks its agent`;
  /** Whether a call of the step may find no script; each script says whether it is one for the step. */
  const isReal = <One extends Scripted>(scripts: readonly One[], isFor: (one: One) => boolean): boolean =>
    scenario.live.includes(name) ||
    (!(scenario.strict ?? scripts.length > 0) && !scripts.some((one) => one.times === undefined && isFor(one)));
  const isOfStep = (one: Scripted): boolean => one.step === undefined || one.step === name;
  switch (step.type) {
    case "script": {
      const { command, args = [] } = step;
      // What has a template is another command in every visit.
      const isFor = (one: (typeof cli_scripts)[number]): boolean =>
        one.step === undefined
          ? one.command === command && one.args.every((arg, index) => args[index] === arg && !arg.includes("{{"))
          : one.step === name;
      return isReal(cli_scripts, isFor) ? `${name} runs ${[command, ...args].join(" ")}` : undefined;
    }
    case "http": {
      const { url, method = "GET" } = step;
      const isFor = (one: (typeof http_scripts)[number]): boolean =>
        isOfStep(one) &&
        // Where the address has a template, a star stands for it too.
        (one.url === undefined || fitsStars(one.url, url)) &&
        (one.method === undefined || one.method.toUpperCase() === method.toUpperCase());
      return isReal(http_scripts, isFor) ? `${name} sends ${method} ${url}` : undefined;
    }
    case "mcp": {
      const { server, tool } = step;
      const isFor = (one: (typeof mcp_scripts)[number]): boolean =>
        isOfStep(one) &&
        (one.server === undefined || one.server === server) &&
        (one.tool === undefined || one.tool === tool);
      return isReal(mcp_scripts, isFor) ? `${name} calls the MCP server ${server}` : undefined;
    }
    default: {
      const isFor = (one: (typeof step_scripts)[number]): boolean =>
        isOfStep(one) && (one.type === undefined || one.type === type);
      return answeredBy(type) === "step_scripts" && isReal(step_scripts, isFor)
        ? `${name} runs the code of ${type}`
        : undefined;
    }
  }
}

const isAsked = ({ type, name }: Step, { live, live_agents, agent_scripts }: ScenarioFile): boolean =>
  type === "agent" && (live.includes(name) || (isNamed(live_agents, name) && !Object.hasOwn(agent_scripts, name)));

const isNamed = (live: ScenarioFile["live_agents"] = false, name: string): boolean =>
  typeof live === "boolean" ? live : live.some((one) => one === name || one.endsWith(`/${name}`));

interface Scripted {
  readonly step?: string;
  readonly times?: number;
}

/** Whether it stands for every attempt of the step, wherever that is. */
const isAlways = (one: Scripted, name: string): boolean => one.step === name && one.times === undefined;
