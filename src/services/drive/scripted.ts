// The scenario of a drive. What scenarios need is loaded only for one of them: a plain run should not wait for it.
import { SCENARIO_PINS } from "../../hosts/fleet.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { LoadedWorkflow, LoadWorld } from "../../language/loaded.ts";
import type { StepWorld } from "../../steps/world.ts";
import type { GivenInput } from "../request.ts";
import type { LoadedScenario } from "../scenarios/file.ts";
import type { ScenarioOptions, ScenarioRun } from "../scenarios/setup.ts";
import { overlaidFiles, realFiles } from "../session/files.ts";
import type { Session } from "../session/session.ts";

/** What the engine and the port take from a scenario instead of from the request. */
export type Scripted = ScenarioRun["driving"];

export interface ScenarioPart {
  readonly file: string;
  /** All files that it was read from, by absolute path: with them it can be played on another machine. */
  readonly texts: ReadonlyMap<string, string>;
  readonly inputs: Readonly<Record<string, GivenInput>>;
  /** The request's, with the scenario's on top. */
  readonly env: Session["env"];
  /** Refuses names that nothing in the workflow has; `segno test` lists them among the problems instead. */
  requireKnown(workflow: LoadedWorkflow): void;
  /** The files, the workflow's own as the scenario wants it. */
  edited<Files extends LoadWorld>(files: Files): Files;
  /** `further`: what only the run knows; of one that goes on, what is used up. */
  play(
    real: StepWorld,
    signal?: AbortSignal,
    further?: Pick<ScenarioOptions, "startAt" | "before" | "secrets">,
  ): ScenarioRun;
  /** Removes the commands that stood in for real ones. */
  close(): void;
}

/** `strict`: whatever the file says. */
export async function scenarioPart(
  scenario: string | LoadedScenario | undefined,
  { cwd, env: given }: Session,
  strict?: boolean,
): Promise<ScenarioPart | undefined> {
  if (scenario === undefined) return undefined;
  const { loadScenario, problemSentence, ScenarioError } = await import("../scenarios/file.ts");
  const { scenarioFor } = await import("../scenarios/setup.ts");
  const { editedFiles } = await import("../scenarios/edited-file.ts");
  const { unknownNames } = await import("../scenarios/unknown-names.ts");
  const { shimsFor } = await import("../scenarios/shims.ts");
  const texts = new Map<string, string>();
  const loaded =
    typeof scenario === "string" ? loadScenario(scenario, cwd, notingTexts(realFiles({}), texts)) : scenario;
  const asked = strict === undefined ? loaded.scenario : { ...loaded.scenario, strict };
  const shims = shimsFor(asked, asked.env.PATH ?? given.PATH ?? "");
  const own = { ...asked.env, ...(shims ? { PATH: shims.path } : {}) };
  return {
    file: loaded.file,
    texts,
    inputs: Object.fromEntries(Object.keys(asked.inputs).map((name) => [name, loaded.input(name)])),
    env: { ...given, ...own },
    requireKnown(workflow) {
      const strangers = unknownNames(loaded, workflow);
      if (strangers.length > 0) throw new ScenarioError(strangers.map(problemSentence).join("\n"), strangers);
    },
    edited: (files) => editedFiles(files, loaded.workflow, asked),
    play: (real, signal, further) =>
      scenarioFor({ ...asked, env: own }, real, { signal, ...further, beforeReal: () => shims?.make() }),
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
  return (await import("../scenarios/file.ts")).loadScenario(file, cwd, overlaidFiles(texts, {}));
}
