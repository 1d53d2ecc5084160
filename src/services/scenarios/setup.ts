// Makes a run a scenario's: its scripts for the world, its answers for people, and a stop when something is not scripted.
import type { Engine, FrameEnd } from "../../engine/index.ts";
import type { Asker } from "../../engine/people/ask.ts";
import { raised } from "../../errors/index.ts";
import type { RunState } from "../../events/state/state.ts";
import { type HostClock, VirtualClock } from "../../hosts/clock.ts";
import type { Executor } from "../../steps/executor.ts";
import { answeredBy } from "../../steps/types.ts";
import type { StepWorld } from "../../steps/world.ts";
import { questionsWithout } from "../history/question.ts";
import type { AnsweredBefore } from "../history/recording.ts";
import type { DriveListeners } from "../request.ts";
import { scriptedAsker } from "./asker.ts";
import { AFTER_THAT, mistakesIn } from "./causes.ts";
import type { ScenarioError } from "./file.ts";
import { LiveClock } from "./live-clock.ts";
import type { ScenarioFile } from "./schema.ts";
import { scriptedWorld } from "./world.ts";

export interface ScenarioRun {
  readonly world: StepWorld;
  readonly clock: HostClock;
  readonly driving: Pick<DriveListeners, "signal"> & {
    readonly ask: Asker;
    readonly startedBy?: string;
    readonly inject: NonNullable<Engine["inject"]>;
    /** The step type as the scenario has it: a scripted own step does not run its code. */
    readonly executor: (type: Executor<never, unknown>) => Executor<never, unknown>;
    /** A call without a script ends the run as `ScenarioError`, however far it got. */
    readonly overrule: (end: FrameEnd, state: RunState) => FrameEnd;
  };
}

export interface ScenarioOptions {
  readonly signal?: AbortSignal;
  /** Called before anything that is not scripted runs for real. */
  readonly beforeReal?: () => void;
  /** When its time begins, in epoch milliseconds. */
  readonly startAt?: number;
  /** Of a run that goes on: what is used up already. */
  readonly before?: AnsweredBefore;
  /** The run's secret inputs. */
  readonly secrets?: Readonly<Record<string, unknown>>;
}

/** Whether some of its calls are real: it costs money and takes time. */
export const isLiveScenario = ({ live, live_agents = false }: ScenarioFile): boolean =>
  live.length > 0 || live_agents === true || (live_agents !== false && live_agents.length > 0);

export function scenarioFor(
  scenario: ScenarioFile,
  outside: StepWorld,
  { signal, beforeReal = () => {}, startAt, before, secrets = {} }: ScenarioOptions = {},
): ScenarioRun {
  const stop = new AbortController();
  // No listener of its own: one signal stops all rows of an eval.
  const stopping = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  let problem: ScenarioError | undefined;
  const missing = (error: ScenarioError): void => {
    problem ??= error;
    stop.abort(error);
  };
  const live = isLiveScenario(scenario) ? new LiveClock(startAt) : undefined;
  const world = scriptedWorld(scenario, announced(outside, beforeReal), {
    ...{ missing, questions: questionsWithout(secrets), clock: live },
  });
  const inject = injection(scenario);
  for (const { node, path, number } of before?.attempts ?? [])
    if (!inject(node, path, number)) world.useUp({ node, path });
  return {
    world,
    clock: live ?? new VirtualClock(startAt),
    driving: {
      ask: scriptedAsker(scenario, missing, before?.gates),
      signal: stopping,
      startedBy: scenario.started_by,
      inject,
      executor: (own) =>
        answeredBy(own.type) === "step_scripts"
          ? {
              ...own,
              execute: (values, attempt) =>
                world.runOwnStep({ type: own.type, values }, attempt, () => {
                  beforeReal();
                  return own.execute(values, attempt);
                }),
            }
          : own,
      overrule(end, state) {
        if (!problem) return end;
        const message = [...mistakesIn(scenario, state).slice(0, 1), problem.message].join(AFTER_THAT);
        return { type: "limit", errorType: "ScenarioError", message, node: null };
      },
    },
  };
}

/** The outside, with a call before each that may start a process. */
const announced = (outside: StepWorld, before: () => void): StepWorld => ({
  ...outside,
  run(request, attempt) {
    before();
    return outside.run(request, attempt);
  },
  callTool(request, attempt) {
    before();
    return outside.callTool(request, attempt);
  },
});

/** Errors that a scenario injects: any kind, at any step, without causing the failure. */
function injection({ inject }: ScenarioFile): NonNullable<Engine["inject"]> {
  const used = new Map<ScenarioFile["inject"][number], number>();
  return (node, path, attempt) => {
    const name = [...path, node].join("/");
    for (const one of inject) {
      const count = used.get(one) ?? 0;
      const fits = (one.step === node || one.step === name) && (one.attempt === undefined || one.attempt === attempt);
      if (!fits || (one.times !== undefined && count >= one.times)) continue;
      used.set(one, count + 1);
      return raised(one.error.kind, one.error.message, one.error.details);
    }
    return undefined;
  };
}
