// Everything that a drive needs, a scenario included. It is put together in three places only: prepare.ts for a run's first
// drive, recorded.ts for every further one, whether it is driven or only rehearsed, and features/history/play.ts for a run that is
// played in memory from recorded answers.

import type { Emit } from "../../base/events/registry.ts";
import type { RunState } from "../../base/events/state/state.ts";
import type { Recall, RecallFold } from "../../base/events/visits/recall.ts";
import { COMMAND_LINE } from "../../base/results/index.ts";
import type { Result } from "../../base/results/result.ts";
import type { Start } from "../../engine/keyframe.ts";
import type { LoadedScenario } from "../../features/scenarios/file.ts";
import type { ScenarioOptions, ScenarioRun } from "../../features/scenarios/setup.ts";
import type { LoadedWorkflow, LoadWorld } from "../../language/loaded.ts";
import { PROVIDERS } from "../../language/schema/names.ts";
import type { StepWorld } from "../../steps/world.ts";
import { type HostClock, realClock } from "../../storage/clock.ts";
import type { Drive, DriveOptions } from "../../storage/drive.ts";
import { SCENARIO_PINS } from "../../storage/fleet.ts";
import type { Durability, RunReader } from "../../storage/run-reader.ts";
import { refusal } from "../refusals.ts";
import type { ResumeRequest, RunOrigin } from "../request.ts";
import { overlaidFiles, realFiles } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import type { PreparedInputs } from "./given-inputs.ts";
import type { KeyframeFacts } from "./keyframe.ts";
import type { FolderHere } from "./places.ts";
import type { Inherited } from "./port.ts";
import type { ClosableWorld } from "./real-world.ts";

export interface DriveSetup extends PreparedInputs {
  /** With what the run's own file and project bring, and in `env` a scenario's variables on top. */
  readonly session: Session;
  readonly workflow: LoadedWorkflow;
  readonly durability: Durability;
  /** Whom agents ask, whatever the files say. */
  readonly provider?: string;
  readonly origin: RunOrigin;
  /** Of a first drive: what the run is called. */
  readonly runName?: string;
  readonly clock: HostClock;
  readonly world: StepWorld;
  /** On a worker: where a folder of the workflow is. */
  readonly folderHere?: FolderHere;
  /** The run as it was when the drive begins; every event of the drive is folded into it. */
  readonly state: RunState;
  readonly recall: Recall;
  /** What an earlier drive left of `errors.jsonl`. */
  readonly inherited?: Inherited;
  readonly keyframes?: DriveKeyframes;
  /** Items that the run had lost run again, and what reads them. */
  readonly retriesItems?: boolean;
  /** Of a run that has ended by itself: only these lost items run, each alone, and its end stays as it was. */
  readonly lostItems?: ReadonlySet<string>;
  /** A scenario answers for the world and for people. Such a run neither reads nor writes what real runs share. */
  readonly scripted?: Scripted;
  readonly scenario?: Pick<ScenarioPart, "file" | "texts">;
  begin(note: Emit): void;
  close(): Promise<void>;
}

export interface DriveKeyframes {
  readonly facts: KeyframeFacts;
  /** What earlier drives recorded; nothing in a first drive. */
  readonly recall?: RecallFold;
  readonly start?: Start;
}

export interface DriveRequest
  extends Pick<ResumeRequest, "maxIterations" | "maxVisits" | "skipGates" | "rerun" | "skipWaits"> {
  /** Of a drive that may be left before its end: its port, and a promise that fails when it is left. */
  readonly leaving?: {
    readonly portOf: (options: DriveOptions, isScripted: boolean) => Drive;
    readonly left: Promise<never>;
  };
  /** Called when the run has ended, before the end is visible to others. */
  readonly beforeEnd?: (state: RunState, result: Result) => Promise<void>;
}

/** Who answers for the outside, and what is closed in the end; the same for a first and for a further drive. */
export const worldParts = (session: Session, real: ClosableWorld, scenario?: ScenarioPart, played?: ScenarioRun) => ({
  session,
  clock: played?.clock ?? session.extensions?.clock ?? realClock,
  world: played?.world ?? real,
  folderHere: real.folderHere,
  scripted: played?.driving,
  async close(): Promise<void> {
    scenario?.close();
    await real.close();
  },
});

/** `--provider` and SEGNO_PROVIDER count before the files. A resume goes on with whom the run began. */
export function chosenProvider(
  { env, extensions, reader = COMMAND_LINE }: Session,
  provider: string | undefined,
  before?: string | null,
): string | undefined {
  const name = [provider, before, env.SEGNO_PROVIDER].find((one) => typeof one === "string" && one !== "");
  if (!name) return undefined;
  const known = [...PROVIDERS.filter((one) => one !== "scripted"), ...Object.keys(extensions?.providers ?? {})];
  if (known.includes(name)) return name;
  throw refusal(`there is no provider ${name}; Segno knows ${known.join(", ")}`, {
    errorType: "UnknownProvider",
    hint: `Choose one of them with ${reader.give({ what: "provider" })}, or leave it out: the file says whom it asks.`,
  });
}

/** What the engine and the port take from a scenario instead of from the request. */
export type Scripted = ScenarioRun["driving"];

export type ScenarioPart = NonNullable<Awaited<ReturnType<typeof scenarioPart>>>;

/** `strict`: whatever the file says. */
export async function scenarioPart(
  scenario: string | LoadedScenario | undefined,
  { cwd, env: given, readsFrom, reader = COMMAND_LINE }: Session,
  strict?: boolean,
) {
  if (scenario === undefined) return undefined;
  const { loadScenario, problemSentence, ScenarioError } = await import("../../features/scenarios/file.ts");
  const { liveRefusal, scenarioFor } = await import("../../features/scenarios/setup.ts");
  const { editedFiles, unknownNames } = await import("../../features/scenarios/workflow-of-scenario.ts");
  const { shimsFor } = await import("../../features/scenarios/shims.ts");
  const texts = new Map<string, string>();
  const loaded =
    typeof scenario === "string"
      ? loadScenario(scenario, cwd, notingTexts(realFiles({}, undefined, readsFrom?.snapshot), texts))
      : scenario;
  const refused = reader.playsLiveSteps ? undefined : liveRefusal(loaded, { cwd, env: given });
  if (refused !== undefined) throw new ScenarioError(refused);
  const asked = strict === undefined ? loaded.scenario : { ...loaded.scenario, strict };
  const shims = shimsFor(asked, asked.env.PATH ?? given.PATH ?? "");
  const own = { ...asked.env, ...(shims ? { PATH: shims.path } : {}) };
  return {
    file: loaded.file,
    /** All files that it was read from, by absolute path: with them it can be played on another machine. */
    texts: texts as ReadonlyMap<string, string>,
    inputs: Object.fromEntries(Object.keys(asked.inputs).map((name) => [name, loaded.input(name)])),
    /** The request's, with the scenario's on top. */
    env: { ...given, ...own } as Session["env"],
    /** Refuses names that nothing in the workflow has; `segno test` lists them among the problems instead. */
    requireKnown(workflow: LoadedWorkflow): void {
      const strangers = unknownNames(loaded, workflow);
      if (strangers.length > 0) throw new ScenarioError(strangers.map(problemSentence).join("\n"), strangers);
    },
    /** The files, the workflow's own as the scenario wants it. */
    edited: <Files extends LoadWorld>(files: Files): Files => editedFiles(files, loaded.workflow, asked),
    /** `further`: what only the run knows; of one that goes on, what is used up. */
    play: (real: StepWorld, signal?: AbortSignal, further?: Pick<ScenarioOptions, "startAt" | "before" | "secrets">) =>
      scenarioFor({ ...asked, env: own }, real, { signal, ...further, beforeReal: () => shims?.make() }),
    /** Removes the commands that stood in for real ones. */
    close: () => shims?.close(),
  };
}

const notingTexts = (files: LoadWorld, texts: Map<string, string>): LoadWorld => ({
  ...files,
  read(path) {
    const bytes = files.read(path);
    texts.set(path, Buffer.from(bytes).toString("utf8"));
    return bytes;
  },
});

/** The scenario of a run whose first drive was placed for workers, from the files that travelled with it; else its file. */
export async function scenarioOfRun(
  run: Pick<RunReader, "pinned">,
  file: string | undefined,
  { cwd }: Pick<Session, "cwd">,
): Promise<string | LoadedScenario | undefined> {
  const texts = file === undefined ? undefined : await run.pinned(SCENARIO_PINS);
  if (file === undefined || !texts || texts.size === 0) return file;
  return (await import("../../features/scenarios/file.ts")).loadScenario(file, cwd, overlaidFiles(texts, {}));
}
