// A further drive of a run: what was recorded, with the file and the inputs as they are now. A resume drives it, a
// rehearsal only plays it.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { nearest } from "../../base/errors/nearest.ts";
import { visitKey } from "../../base/events/key.ts";
import type { RunState } from "../../base/events/state/state.ts";
import { changersIn } from "../../base/events/visits/verdicts.ts";
import { realPath } from "../../base/real-path.ts";
import { secretsByName } from "../../base/redact/index.ts";
import { COMMAND_LINE } from "../../base/results/index.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import { requireKept, secretsBefore } from "../reading/read-run.ts";
import { ReopenedRecall, type Reopening } from "../reading/reopened.ts";
import { refusal } from "../refusals.ts";
import type { DriveListeners, GivenInput, ResumeRequest } from "../request.ts";
import { filesOfRun, shownPath, withSnapshot } from "../session/files.ts";
import { actingPerson } from "../session/people.ts";
import { joinSecrets } from "../session/run-secrets.ts";
import type { Session } from "../session/session.ts";
import { validWorkflow } from "../workflows/valid-workflow.ts";
import { itemsRetried, type Resuming, runResumed } from "./first-events.ts";
import { prepareInputs } from "./given-inputs.ts";
import { type History, readHistory } from "./read-history.ts";
import { realWorld } from "./real-world.ts";
import { chosenProvider, type DriveSetup, scenarioOfRun, scenarioPart, worldParts } from "./setup.ts";

export interface RecordedRequest
  extends Pick<ResumeRequest, "file" | "inputs" | "provider" | "maxIterations" | "maxVisits" | "rerun"> {
  /** Of a retry of dead letters: only their places run again. */
  readonly reopen?: Reopening;
  readonly goesOn?: Resuming["goesOn"];
  readonly answers?: boolean;
  /** Other files than those of this machine, with those of the run that are gone. */
  readonly files?: ReturnType<typeof filesOfRun>;
  /** On a worker: the folder for the run's own files, for where it has not the folders that they are from. */
  readonly materialized?: string;
}

/**
 * The part that does not depend on the inputs: the file of the last drive as it is now, unless another is given, read with
 * the run's own environment. `gone`: files that are not there any more; the run goes on with them as they were.
 */
export async function recordedFile(
  run: RunReader,
  session: Session,
  request: RecordedRequest,
  before: History,
  isJudged = false,
) {
  const { file: edited } = request;
  const { state } = before;
  const provider = chosenProvider(session, request.provider, state.provider);
  const scenario = await scenarioPart(await scenarioOfRun(run, before.scenario, session), session, before.strict);
  const env = scenario?.env ?? session.env;
  const file = edited === undefined ? state.root.file || run.meta.file : resolve(session.cwd, edited);
  const own = request.files ?? filesOfRun(await run.pinned(), { ...session, env });
  const files = scenario?.edited(own) ?? own;
  const workflow = validWorkflow(file, { ...session, env }, { isJudged, semantics: state.semantics }, files);
  if (edited !== undefined) requireOwnWorkflow(file, workflow, { run, session, state });
  requireStart(session, request, workflow, before, run.runId);
  return { workflow, env, provider, scenario, gone: files.gone };
}

/** `known`: what the caller has read already. `isJudged`: that no rule has anything against the file as it is now. */
export async function recorded(
  run: RunReader,
  standing: Session,
  request: RecordedRequest,
  known: {
    readonly before?: History;
    readonly file?: Awaited<ReturnType<typeof recordedFile>>;
    readonly isJudged?: boolean;
  } = {},
  { signal }: DriveListeners = {},
): Promise<DriveSetup> {
  const { reopen } = request;
  const given = withSnapshot(standing);
  const before = known.before ?? (await readHistory(run));
  const { state, recall } = before;
  const { workflow, env, provider, scenario, gone } =
    known.file ?? (await recordedFile(run, given, request, before, known.isJudged));
  const session = { ...given, env };
  const secrets = await run.secrets();
  requireKept(run, {
    names: state.hiddenInputs,
    secrets: { ...secrets, ...request.inputs },
    hasLost: await run.hasLostSecrets(),
  });
  const earlier = joinSecrets(state, secrets);
  const inputs = { ...stillTaken(earlier, workflow), ...request.inputs };
  const prepared = prepareInputs(workflow, inputs, session, await secretsBefore(run));
  const named = new Set(secretsByName(prepared.inputs));
  // A keyframe holds no secrets: of a run that met some by their names none is kept.
  const learned = [...before.secrets].filter(([secret]) => !named.has(secret));
  for (const [secret, known] of before.secrets) prepared.redactor.learn(secret, known);
  const real = realWorld(session, workflow, prepared.redactor, {
    provider,
    materialized: request.materialized,
    scenarioFiles: scenario?.texts.keys(),
    agentFolders: before.facts.agentFolders,
  });
  const played = scenario?.play(real, signal, {
    secrets: prepared.split.secrets,
    startAt: Date.parse(state.lastAt ?? ""),
    before: await (await import("../../features/scenarios/recorded-answers.ts")).answeredBefore(run),
  });
  const resumed = runResumed({
    ...request,
    cwd: session.cwd,
    provider,
    state,
    workflow,
    inputs: prepared.inputs,
    split: prepared.split,
    before: earlier,
    reopens: reopen !== undefined,
    by: played ? undefined : actingPerson(session),
  });
  return {
    ...prepared,
    ...worldParts(session, real, scenario, played),
    workflow,
    provider,
    state,
    durability: run.meta.durability,
    origin: {
      startedBy: state.startedBy ?? undefined,
      firedBy: state.firedBy ?? undefined,
      changedBy: [...new Set([...state.changedBy, ...changersIn(resumed)])],
    },
    recall: reopen ? new ReopenedRecall(recall, reopen) : recall,
    inherited: before.inherited,
    keyframes: reopen || played || learned.length > 0 ? undefined : { facts: before.facts, recall },
    retriesItems: reopen !== undefined && !reopen.alone,
    lostItems: reopen?.alone ? reopen.places : undefined,
    begin(note) {
      if (reopen?.alone) note([], "items_retried", itemsRetried(reopen.places, resumed));
      else note([], "run_resumed", resumed);
      for (const file of gone)
        note([], "warning", { node: null, message: `${file} is gone; the run goes on with the file as it was` });
    },
  };
}

/** Inputs of the run so far; those that the edited file no longer takes are left behind. */
function stillTaken(
  before: Readonly<Record<string, unknown>>,
  { definition }: LoadedWorkflow,
): Record<string, GivenInput> {
  const fields = definition.workflow.input;
  const names = Object.keys(before).filter((name) => !fields || Object.hasOwn(fields, name));
  return Object.fromEntries(names.map((name) => [name, { value: before[name] }]));
}

/**
 * Another workflow's steps would run in place of the run's own, and what failed would be lost. The name tells them apart; a
 * file that has a new name as well is the run's own if it stands where the run's file stood, or if that one is gone and the
 * steps are known.
 */
function requireOwnWorkflow(
  file: string,
  { definition }: LoadedWorkflow,
  { run, session, state }: { readonly run: RunReader; readonly session: Session; readonly state: RunState },
): void {
  const { root } = state;
  const { name } = definition.workflow;
  const own = root.file || run.meta.file;
  if (name === root.name || !root.name || realPath(file) === realPath(own)) return;
  const hasKnownStep = [...definition.agents, ...definition.parallel, ...definition.for_each].some((step) =>
    root.nodes.has(step.name),
  );
  if (!existsSync(own) && hasKnownStep) return;
  const { reader = COMMAND_LINE } = session;
  const given = shownPath(file, session.cwd);
  throw refusal(
    `${given} is the workflow ${name}, and the run ${run.runId} is of ${root.name} (${shownPath(own, session.cwd)}): a run goes on with its own workflow`,
    {
      runId: run.runId,
      errorType: "OtherWorkflow",
      hint: `To go on with its own file: ${reader.ask({ to: "resume", run: run.runId })}. If ${given} is the edited workflow, call it ${root.name}.`,
    },
  );
}

/** `--from` a step that is not there, or that the run never came to, would quietly reuse what was to run again. */
function requireStart(
  { reader = COMMAND_LINE }: Session,
  { rerun: { from, force } = {} }: RecordedRequest,
  { definition }: LoadedWorkflow,
  { recall }: History,
  runId: string,
): void {
  if (from === undefined) return;
  const names = [...definition.agents, ...definition.parallel, ...definition.for_each].map(({ name }) => name);
  const ran = names.filter((name) => recall.get(visitKey("", name, 1)));
  if (!names.includes(from))
    throw refusal(`there is no step ${from} to start from; there are ${names.join(", ")}`, {
      runId,
      suggestions: nearest(from, names),
    });
  if (!ran.includes(from))
    throw refusal(
      `the run has not come to ${from} yet, so it cannot start from there; it came to ${ran.join(", ") || "nothing"}. Without ${reader.give({ what: "option", name: "from" })} it goes on where it stopped`,
      { runId },
    );
  if (force)
    throw refusal(
      `${reader.give({ what: "option", name: "force" })} runs everything again, ${reader.give({ what: "option", name: "from", value: from })} only what comes from there on: give one of the two`,
      { runId },
    );
}
