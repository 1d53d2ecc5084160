// `segno resume`: goes on with a run where it was, with the file and the inputs as they are now.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { outlineOf } from "../engine/children/outline.ts";
import { fileDigest } from "../engine/visit/hash.ts";
import { nearest } from "../errors/nearest.ts";
import { apply, initialState } from "../events/fold.ts";
import { visitKey } from "../events/key.ts";
import { RecallFold } from "../events/recall-fold.ts";
import type { EventData } from "../events/registry.ts";
import type { RunState } from "../events/state.ts";
import { realClock, VirtualClock } from "../hosts/clock.ts";
import type { OpenRun } from "../hosts/embedded/open-run.ts";
import type { RunSummary, Store } from "../hosts/embedded/store.ts";
import { LeaseHeld } from "../hosts/embedded/store-error.ts";
import { familySources, type LoadedWorkflow } from "../language/loaded.ts";
import { validateWorkflow } from "../language/validate.ts";
import { COMMAND_LINE, type Reader, type Result } from "../results/index.ts";
import { catchUp } from "./catch-up.ts";
import { chosenProvider } from "./chosen-provider.ts";
import { knownTo } from "./extensions.ts";
import { filesOfRun } from "./files.ts";
import { finishDrive } from "./finish-drive.ts";
import { homeOf, storeOf } from "./home.ts";
import { withoutGivenUp } from "./letters/given-up.ts";
import { ReopenedRecall, type Reopening } from "./letters/reopened.ts";
import { type PreparedRun, withInputs } from "./prepared-run.ts";
import { type ClosableWorld, realWorld } from "./real-world.ts";
import { drivenElsewhere, invalidWorkflow, noSuchRun, refused, storeProblem } from "./refusals.ts";
import type { GivenInput, ResumeRequest } from "./request.ts";
import { systemOf } from "./run-events.ts";
import { joinSecrets } from "./secret-inputs.ts";

/** A resume, or a retry of dead letters: then the run may have ended, and only those places run again. */
interface GoingOn extends ResumeRequest {
  readonly reopen?: Reopening;
}

export async function resumeRun(request: GoingOn): Promise<Result> {
  const store = storeOf(request);
  try {
    const found = findRun(store, request);
    return "result" in found ? found.result : await goOn(store, found.runId, request);
  } catch (problem) {
    const { ScenarioError } = await import("./scenario/file.ts");
    if (problem instanceof ScenarioError) return refused(problem.message, { errorType: "ScenarioError" });
    return problem instanceof LeaseHeld
      ? drivenElsewhere(problem, request.reader)
      : storeProblem(problem, undefined, request);
  } finally {
    store.close();
  }
}

/** By run, by file (its newest that can be resumed), by nothing (the newest of all). */
function findRun(
  store: Store,
  { target, cwd, reader }: ResumeRequest,
): { readonly runId: string } | { readonly result: Result } {
  if (target === "")
    return { result: refused("no run was named. Name one, or nothing at all for the newest that can be resumed.") };
  const file = target !== undefined && isFile(target, cwd) ? resolve(cwd, target) : undefined;
  if (target !== undefined && file === undefined) {
    const runId = store.findRun(target);
    return runId ? { runId } : { result: refused(noSuchRun(target, reader)) };
  }
  const filter = file === undefined ? {} : { file };
  const newest = store.newestRun({ ...filter, resumable: true });
  if (newest) return { runId: newest.runId };
  const driven = store.runs(filter).find((run) => run.status === "running" && !run.crashed);
  if (driven) return { result: refused(driverOf(driven), { runId: driven.runId }) };
  const last = store.newestRun(filter);
  const of = file === undefined ? "" : ` of ${target}`;
  return {
    result: refused(
      last
        ? `no run${of} can be resumed: the newest, ${last.runId}, is ${last.status}`
        : `there is no run${of} to resume`,
    ),
  };
}

const isFile = (target: string, cwd: string): boolean =>
  /[./\\]/.test(target) || /\.ya?ml$/.test(target) || existsSync(resolve(cwd, target));

const driverOf = ({ runId, driver, started }: RunSummary): string =>
  `the run ${runId} is being driven by another process: pid ${driver?.pid} on ${driver?.host}, since ${started}`;

async function goOn(store: Store, runId: string, request: GoingOn): Promise<Result> {
  const run = store.openRun(runId);
  let handedOver = false;
  const { state, recall, scenario } = readBack(run);
  try {
    const lost = catchUp(run, request.env);
    withoutGivenUp(state, store);
    const refusal = request.reopen && hasEndedWell(state) ? undefined : notResumable(state, request.reader);
    if (refusal) return refused(refusal, { runId });
    const chosen = chosenProvider(request, state.provider);
    if (!chosen.ok) return chosen.result;
    const { provider } = chosen;
    const loaded = loadAgain(run, state.root.file, request);
    if ("result" in loaded) return loaded.result;
    const { workflow } = loaded;
    const unknown = unknownStart(request, workflow, recall);
    if (unknown) return refused(unknown.message, { runId, suggestions: unknown.suggestions });
    const before = joinSecrets(state.inputs, run.secrets());
    const prepared = withInputs(workflow, { ...kept(before, workflow), ...request.inputs }, request);
    if (!prepared.ok) return prepared.result;
    const { inputs, split, redactor } = prepared.run;
    const drive = state.drives + 1;
    run.pin(drive, familySources(workflow));
    if (Object.keys(split.secrets).length > 0) run.saveSecrets(split.secrets);
    // Everything runs again, so everybody is asked again.
    if (request.force) store.state.gates.forget(runId);
    const real = realWorld(request, workflow, redactor);
    // A run that was made with a scenario goes on with it: its steps never did anything for real.
    const scripted = scenario === undefined ? undefined : await scriptedBy(scenario, request, real);
    const beginning = resumed(state, workflow, prepared.run, before, { ...request, provider }, drive);
    handedOver = true;
    try {
      return await finishDrive({
        ...request,
        ...(scripted ? { ...scripted.driving, isolated: true } : {}),
        provider,
        store,
        run,
        home: homeOf(request),
        workflow,
        inputs,
        redactor,
        state,
        recall: request.reopen ? new ReopenedRecall(recall, request.reopen) : recall,
        clock: scripted ? new VirtualClock(Date.parse(state.lastAt ?? "")) : (request.extensions?.clock ?? realClock),
        world: scripted?.world ?? real,
        begin(note) {
          note([], "run_resumed", beginning);
          if (lost > 0) note([], "warning", { node: null, message: endLost(lost) });
          for (const file of loaded.gone)
            note([], "warning", { node: null, message: `${file} is gone; the run goes on with the file as it was` });
        },
      });
    } finally {
      await real.close();
    }
  } finally {
    if (!handedOver) {
      // Nothing was driven: the index says again what it said before.
      run.setStatus(state.status, {
        resumable: notResumable(state) === undefined,
        failingKind: state.failure?.error?.kind ?? null,
      });
      run.release();
    }
  }
}

/** Loaded only for a run with a scenario: the others should not wait for it. */
async function scriptedBy(scenario: string, { cwd, signal }: GoingOn, real: ClosableWorld) {
  const { loadScenario } = await import("./scenario/file.ts");
  const { scenarioFor } = await import("./scenario/setup.ts");
  return scenarioFor(loadScenario(scenario, cwd).scenario, real, signal);
}

const endLost = (events: number): string =>
  `the last ${events === 1 ? "event" : `${events} events`} of the run did not survive, as after a power cut: what was recorded there is done again. With --durability power each step is on disk before the next one begins`;

/** `--from` a step that is not there, or that the run never came to, would quietly reuse what was to run again. */
function unknownStart(
  { from, force }: ResumeRequest,
  { definition }: LoadedWorkflow,
  recall: RecallFold,
): { readonly message: string; readonly suggestions: readonly string[] } | undefined {
  if (from === undefined) return undefined;
  const names = [...definition.agents, ...definition.parallel, ...definition.for_each].map(({ name }) => name);
  const ran = names.filter((name) => recall.get(visitKey("", name, 1)));
  if (!names.includes(from))
    return {
      message: `there is no step ${from} to start from; there are ${names.join(", ")}`,
      suggestions: nearest(from, names),
    };
  if (!ran.includes(from))
    return {
      message: `the run has not come to ${from} yet, so it cannot start from there; it came to ${ran.join(", ") || "nothing"}. Without --from it goes on where it stopped`,
      suggestions: [],
    };
  if (force)
    return {
      message: `--force runs everything again, --from ${from} only what comes from there on: give one of the two`,
      suggestions: [],
    };
  return undefined;
}

interface ReadBack {
  readonly state: RunState;
  readonly recall: RecallFold;
  /** The scenario that the run was made with. */
  readonly scenario?: string;
}

function readBack(run: OpenRun): ReadBack {
  const state = initialState(run.runId);
  const recall = new RecallFold();
  let scenario: unknown;
  for (const event of run.events()) {
    apply(state, event);
    recall.add(event);
    if (event.type === "workflow_started") scenario = event.data.system.scenario;
  }
  return { state, recall, ...(typeof scenario === "string" ? { scenario } : {}) };
}

/** A group lost members, or a parent did without a child: what is retried may still change the result. */
const hasEndedWell = ({ status }: RunState): boolean => status === "degraded" || status === "completed";

function notResumable(state: RunState, reader: Reader = COMMAND_LINE): string | undefined {
  const id = state.runId;
  if (state.drives === 0)
    return `the run ${id} was cut off before it could begin, and nothing of it was done. Start it again with: ${reader.ask({ to: "run" })}`;
  if (state.status === "completed" || state.status === "degraded")
    return `the run ${id} is ${state.status}: there is nothing to resume`;
  if (state.status === "terminated")
    return `the run ${id} was terminated by its own workflow (${state.termination?.reason}); it cannot be resumed`;
  if (state.status === "failed" && state.failure && !state.failure.resumable)
    return state.termination
      ? `the run ${id} was terminated by its own workflow (${state.termination.reason}); it cannot be resumed`
      : `the run ${id} was halted by its own workflow (${state.failure.message}); it cannot be resumed`;
  return undefined;
}

/** The files as they are now, the one of the last drive unless another is given; one that is gone, as it was. */
function loadAgain(
  run: OpenRun,
  before: string,
  { cwd, env, file: edited, extensions }: ResumeRequest,
): { workflow: LoadedWorkflow; gone: ReadonlySet<string> } | { result: Result } {
  const file = edited === undefined ? before || run.meta.file : resolve(cwd, edited);
  const files = filesOfRun(run.pinned(), env);
  const { workflow, findings } = validateWorkflow(file, files, knownTo(extensions));
  if (!workflow || findings.some((finding) => finding.severity === "error"))
    return { result: invalidWorkflow(findings, file, cwd) };
  return { workflow, gone: files.gone };
}

/** Inputs of the run so far; those that the edited file no longer takes are left behind. */
function kept(before: Readonly<Record<string, unknown>>, { definition }: LoadedWorkflow): Record<string, GivenInput> {
  const fields = definition.workflow.input;
  const names = Object.keys(before).filter((name) => !fields || Object.hasOwn(fields, name));
  return Object.fromEntries(names.map((name) => [name, { value: before[name] }]));
}

function resumed(
  state: RunState,
  workflow: LoadedWorkflow,
  { inputs, split }: PreparedRun,
  before: Readonly<Record<string, unknown>>,
  { from, force, maxIterations, provider, cwd, reopen }: GoingOn,
  drive: number,
): EventData<"run_resumed"> {
  const digest = fileDigest(workflow);
  const after = state.status === "running" ? "crashed" : state.status;
  const names = new Set([...Object.keys(inputs), ...Object.keys(before)]);
  return {
    drive,
    outline: outlineOf(workflow),
    definition_hash: digest,
    file_changed: digest !== state.definitionHash,
    inputs_changed: [...names].filter((name) => JSON.stringify(inputs[name]) !== JSON.stringify(before[name])),
    inputs: split.journal,
    ...(from === undefined ? {} : { from }),
    ...(force ? { force } : {}),
    ...(maxIterations === undefined ? {} : { max_iterations: maxIterations }),
    ...(provider === undefined ? {} : { provider }),
    after,
    reason: reopen
      ? "dead letters are tried again"
      : force
        ? "everything runs again"
        : from
          ? `from ${from} on everything runs again`
          : `after it ${after === "crashed" ? "was cut off" : `was ${after}`}`,
    system: systemOf(cwd),
  };
}
