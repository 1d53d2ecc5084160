// A run's first drive: the file and the inputs that the request names, and nothing recorded yet.
import { initialState } from "../../base/events/state/fold.ts";
import { remember } from "../../base/events/visits/recall.ts";
import type { LoadedScenario } from "../../features/scenarios/file.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { RunFacts } from "../../storage/run-index.ts";
import type { Durability } from "../../storage/run-reader.ts";
import { factsOfStart } from "../reading/run-facts.ts";
import { refusal } from "../refusals.ts";
import type { DriveListeners, RunRequest } from "../request.ts";
import { filesOf, overlaidFiles, withSnapshot } from "../session/files.ts";
import { actingPerson } from "../session/people.ts";
import type { Session } from "../session/session.ts";
import { validWorkflow } from "../workflows/valid-workflow.ts";
import { workflowStarted } from "./first-events.ts";
import { prepareInputs } from "./given-inputs.ts";
import { KeyframeFacts } from "./keyframe.ts";
import { realWorld } from "./real-world.ts";
import { runNameOf } from "./run-name.ts";
import { chosenProvider, type DriveSetup, scenarioPart, worldParts } from "./setup.ts";

export interface FreshRequest
  extends Pick<RunRequest, "file" | "inputs" | "provider" | "strict" | "durability" | "origin"> {
  readonly runId: string;
  /** A file, or one that has been read already. */
  readonly scenario?: string | LoadedScenario;
  /** For `segno test`: settings for real runs do not count, and a file that is only called may be tested by itself. */
  readonly isTest?: boolean;
  readonly checked?: LoadedWorkflow;
  /** Files that are read as if they had these texts. */
  readonly proposed?: ReadonlyMap<string, string>;
  /** On a worker: the folder for the run's own files, for where it has not the folders that they are from. */
  readonly materialized?: string;
}

export async function prepareRun(
  standing: Session,
  request: FreshRequest,
  { signal, warned }: DriveListeners = {},
): Promise<DriveSetup> {
  const given = withSnapshot(standing);
  const { runId, isTest = false } = request;
  const scenario = await scenarioPart(request.scenario, given, request.strict);
  const session = scenario ? { ...given, env: scenario.env } : given;
  const { cwd, env } = session;
  const provider = isTest ? undefined : chosenProvider(session, request.provider);
  if (!isTest) requireDurability(env, request);
  const files = request.proposed ? overlaidFiles(request.proposed, env) : filesOf(session);
  const workflow =
    request.checked ??
    validWorkflow(request.file, session, isTest ? { asChild: true } : {}, scenario?.edited(files) ?? files, warned);
  if (!isTest) scenario?.requireKnown(workflow);
  const prepared = prepareInputs(workflow, { ...scenario?.inputs, ...request.inputs }, session);
  const durability = isTest ? "process" : durabilityOf(env, request, workflow);
  const real = realWorld(session, workflow, prepared.redactor, {
    provider,
    materialized: request.materialized,
    scenarioFiles: scenario?.texts.keys(),
  });
  const played = scenario?.play(real, signal, { secrets: prepared.split.secrets });
  const startedBy = played ? played.driving.startedBy : (request.origin?.startedBy ?? actingPerson(session));
  const origin = { ...request.origin, startedBy };
  const { name: runName, warning } = runNameOf({ ...prepared, workflow }, request.origin?.name, session);
  const begun = { durability, cwd, provider, origin, strict: request.strict, runName };
  return {
    ...prepared,
    ...worldParts(session, real, scenario, played),
    workflow,
    durability,
    provider,
    origin,
    runName,
    scenario,
    state: initialState(runId),
    recall: remember([]),
    keyframes: { facts: new KeyframeFacts() },
    begin(note) {
      const more = { ...begun, scenario: isTest ? undefined : scenario?.file };
      note([], "workflow_started", workflowStarted(workflow, prepared.split, more));
      if (warning !== undefined) note([], "warning", { node: null, message: warning });
    },
  };
}

/** Of a run that begins with this setup. */
export const factsOfNewRun = ({ runName, origin, scripted, split, redactor }: DriveSetup): RunFacts =>
  factsOfStart({
    name: runName,
    evalId: origin.evalId,
    isRehearsal: scripted !== undefined,
    inputs: split.journal,
    hidden: [...split.names],
    redactor,
  });

/** A word in SEGNO_DURABILITY that is not understood must not make a run less safe than was meant. */
function requireDurability({ SEGNO_DURABILITY: said }: Session["env"], { durability }: FreshRequest): void {
  if (durability !== undefined || !said || said === "process" || said === "power") return;
  throw refusal(`SEGNO_DURABILITY is ${JSON.stringify(said)}; it may be process or power`);
}

/** By flag, by environment, by the file; a crash of the process is survived in any case. */
function durabilityOf(env: Session["env"], { durability }: FreshRequest, workflow: LoadedWorkflow): Durability {
  const asked = durability ?? (env.SEGNO_DURABILITY || undefined) ?? workflow.definition.workflow.runtime.durability;
  return asked === "power" ? "power" : "process";
}
