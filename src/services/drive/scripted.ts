// The scenario of a drive. What scenarios need is loaded only for one of them: a plain run should not wait for it.
import type { StepWorld } from "../../steps/world.ts";
import type { GivenInput, Surroundings } from "../request.ts";
import type { LoadedScenario } from "../scenario/file.ts";
import type { ScenarioRun } from "../scenario/setup.ts";

/** What the engine and the port take from a scenario instead of from the request. */
export type Scripted = ScenarioRun["driving"];

export interface ScenarioPart {
  readonly file: string;
  readonly inputs: Readonly<Record<string, GivenInput>>;
  /** The request's, with the scenario's on top. */
  readonly env: Surroundings["env"];
  play(real: StepWorld, signal?: AbortSignal): ScenarioRun;
}

export async function scenarioPart(
  scenario: string | LoadedScenario | undefined,
  { cwd, env }: Surroundings,
): Promise<ScenarioPart | undefined> {
  if (scenario === undefined) return undefined;
  const { loadScenario } = await import("../scenario/file.ts");
  const { scenarioFor } = await import("../scenario/setup.ts");
  const loaded = typeof scenario === "string" ? loadScenario(scenario, cwd) : scenario;
  const { inputs, env: own } = loaded.scenario;
  return {
    file: loaded.file,
    inputs: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { value }])),
    env: { ...env, ...own },
    play: (real, signal) => scenarioFor(loaded.scenario, real, signal),
  };
}
