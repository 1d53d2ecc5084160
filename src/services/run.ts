// `segno run`: checks the file and the inputs, makes a run, drives it to its first end.
import { initialState } from "../events/fold.ts";
import { remember } from "../events/recall.ts";
import { realClock, VirtualClock } from "../hosts/clock.ts";
import { newRunId } from "../hosts/embedded/run-id.ts";
import { familySources } from "../language/loaded.ts";
import type { Result } from "../results/result.ts";
import type { StepWorld } from "../steps/world.ts";
import { chosenProvider } from "./chosen-provider.ts";
import { durabilityOf, durabilityProblem } from "./durability.ts";
import { knownTo } from "./extensions.ts";
import { finishDrive } from "./finish-drive.ts";
import { homeOf, storeOf } from "./home.ts";
import { prepareRun } from "./prepared-run.ts";
import { realWorld } from "./real-world.ts";
import { refused, storeProblem } from "./refusals.ts";
import type { RunRequest } from "./request.ts";
import { workflowStarted } from "./run-events.ts";
import type { ScenarioRun } from "./scenario/setup.ts";

export async function runWorkflow(asked: RunRequest): Promise<Result> {
  const script = await scripted(asked);
  if (script && "result" in script) return script.result;
  const request = script ? { ...asked, ...script.request } : asked;
  const chosen = chosenProvider(request);
  if (!chosen.ok) return chosen.result;
  const problem = durabilityProblem(request);
  if (problem) return refused(problem);
  const { provider } = chosen;
  const prepared = prepareRun(request.file, request.inputs, request, knownTo(request.extensions));
  if (!prepared.ok) return prepared.result;
  const { workflow, inputs, split, redactor } = prepared.run;
  const durability = durabilityOf(request, workflow);
  const world = realWorld(request, workflow, redactor);
  const scenario = script?.play(world, request.signal);

  const store = storeOf(request);
  try {
    const run = store.createRun({
      runId: newRunId(),
      workflow: workflow.definition.workflow.name,
      file: workflow.file,
      durability,
    });
    run.pin(1, familySources(workflow));
    if (Object.keys(split.secrets).length > 0) run.saveSecrets(split.secrets);
    return await finishDrive({
      ...request,
      provider,
      ...(scenario ? { ...scenario.driving, isolated: true } : {}),
      store,
      run,
      home: homeOf(request),
      workflow,
      inputs,
      redactor,
      state: initialState(run.runId),
      recall: remember([]),
      clock: scenario ? new VirtualClock() : (request.extensions?.clock ?? realClock),
      world: scenario ? scenario.world : world,
      begin: (note) =>
        note(
          [],
          "workflow_started",
          workflowStarted(workflow, split.journal, durability, request.cwd, provider, script?.file),
        ),
    });
  } catch (problem) {
    return storeProblem(problem, workflow, request);
  } finally {
    await world.close();
    store.close();
  }
}

interface Scripted {
  readonly file: string;
  /** The scenario's inputs and environment, unless the caller says otherwise. */
  readonly request: Pick<RunRequest, "inputs" | "env">;
  play(real: StepWorld, signal?: AbortSignal): ScenarioRun;
}

/** What scenarios need is loaded only for one of them: a plain run should not wait for it. */
async function scripted({
  scenario: file,
  cwd,
  inputs,
  env,
}: RunRequest): Promise<Scripted | { readonly result: Result } | undefined> {
  if (file === undefined) return undefined;
  const { loadScenario, ScenarioError } = await import("./scenario/file.ts");
  const { scenarioFor } = await import("./scenario/setup.ts");
  try {
    const { scenario, file: path } = loadScenario(file, cwd);
    const given = Object.fromEntries(Object.entries(scenario.inputs).map(([name, value]) => [name, { value }]));
    return {
      file: path,
      request: { inputs: { ...given, ...inputs }, env: { ...env, ...scenario.env } },
      play: (real, signal) => scenarioFor(scenario, real, signal),
    };
  } catch (problem) {
    if (problem instanceof ScenarioError) return { result: refused(problem.message, { errorType: "ScenarioError" }) };
    throw problem;
  }
}
