// Makes a run a scenario's: its scripts for the world, its answers for people, and a stop when something is not scripted.
import type { FrameEnd } from "../../engine/index.ts";
import type { Result } from "../../results/result.ts";
import type { StepWorld } from "../../steps/world.ts";
import { refused } from "../refusals.ts";
import type { Driving } from "../request.ts";
import { scriptedAsker } from "./asker.ts";
import { loadScenario, ScenarioError } from "./file.ts";
import { scriptedWorld } from "./world.ts";

export interface ScenarioRun {
  readonly ok: true;
  readonly world: StepWorld;
  readonly driving: Pick<Driving, "ask" | "signal"> & {
    /** A call without a script ends the run as `ScenarioError`, however far it got. */
    readonly overrule: (end: FrameEnd) => FrameEnd;
  };
}

export function scenarioFor(
  file: string,
  cwd: string,
  real: StepWorld,
  signal: AbortSignal | undefined,
): ScenarioRun | { readonly ok: false; readonly result: Result } {
  try {
    const { scenario } = loadScenario(file, cwd);
    const stop = new AbortController();
    signal?.addEventListener("abort", () => stop.abort(signal.reason), { once: true });
    let problem: ScenarioError | undefined;
    const missing = (error: ScenarioError): void => {
      problem ??= error;
      stop.abort(error);
    };
    return {
      ok: true,
      world: scriptedWorld(scenario, real, missing),
      driving: {
        ask: scriptedAsker(scenario, missing),
        signal: stop.signal,
        overrule: (end) =>
          problem ? { type: "limit", errorType: "ScenarioError", message: problem.message, node: null } : end,
      },
    };
  } catch (error) {
    if (error instanceof ScenarioError)
      return { ok: false, result: refused(error.message, { errorType: "ScenarioError" }) };
    throw error;
  }
}
