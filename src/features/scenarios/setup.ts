// Makes a run a scenario's: its scripts for the world, its answers for people, and a stop when something is not scripted.

import { raised } from "../../base/errors/index.ts";
import { askerName, askerNames } from "../../base/events/asker-name.ts";
import type { RunState } from "../../base/events/state/state.ts";
import { shellWord } from "../../base/events/typeable.ts";
import type { PolicyAnswers } from "../../engine/contract.ts";
import type { Engine, FrameEnd } from "../../engine/interpret.ts";
import { whyNotBy } from "../../engine/people/approval.ts";
import type { Answer, Asker, AskingClock, GateQuestion, QuestionList } from "../../engine/people/ask.ts";
import type { DriveListeners } from "../../services/request.ts";
import { shownPath } from "../../services/session/files.ts";
import { programName } from "../../services/session/program-name.ts";
import type { Session } from "../../services/session/session.ts";
import type { Executor } from "../../steps/step-type.ts";
import { answeredBy } from "../../steps/types.ts";
import type { StepWorld } from "../../steps/world.ts";
import { type HostClock, VirtualClock } from "../../storage/clock.ts";
import { AFTER_THAT, mistakesIn } from "./expect.ts";
import { type LoadedScenario, ScenarioError } from "./file.ts";
import { LiveClock } from "./live-clock.ts";
import { longestScripted, scriptedPolicies } from "./policies.ts";
import { afterDeadline, questionsWithout } from "./question.ts";
import type { AnsweredBefore } from "./recorded-answers.ts";
import type { ScenarioFile } from "./schema.ts";
import { type Missing, scriptedWorld } from "./world.ts";

export interface ScenarioRun {
  readonly world: StepWorld;
  readonly clock: HostClock;
  readonly driving: Pick<DriveListeners, "signal"> & {
    readonly ask: Asker;
    readonly startedBy?: string;
    readonly inject: NonNullable<Engine["inject"]>;
    readonly policies: PolicyAnswers;
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
  readonly secrets?: Readonly<Record<string, unknown>>;
}

/** Whether some of its calls are real: it costs money and takes time. */
export const isLiveScenario = ({ live, live_agents = false }: ScenarioFile): boolean =>
  live.length > 0 || live_agents === true || (live_agents !== false && live_agents.length > 0);

/** Why only the command line plays a scenario. Returns undefined if nothing of it is real. */
export function liveRefusal(
  { file, scenario }: LoadedScenario,
  { cwd, env }: Pick<Session, "cwd" | "env">,
): string | undefined {
  if (!isLiveScenario(scenario)) return undefined;
  const { live, live_agents } = scenario;
  const steps = [...live, ...(Array.isArray(live_agents) ? live_agents : live_agents ? ["its agents"] : [])];
  const shown = shownPath(file, cwd);
  return `${shown} lets ${steps.join(", ")} run for real, which only the command line does. A person can play it in a terminal: ${programName(env)} test ${shellWord(shown)}. To play it here, remove \`live\` and \`live_agents\`, and script the answers`;
}

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
    missing,
    questions: questionsWithout(secrets),
    clock: live,
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
      policies: scriptedPolicies(scenario, before?.policies),
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

/** Gates and questions answered from the file. `before`: keys of gates that were answered in earlier drives. */
function scriptedAsker(scenario: ScenarioFile, missing: Missing, before: readonly string[] = []): Asker {
  const asked = new Map<string, number>();
  for (const key of before) {
    const name = scriptedAs(key, scenario.gates);
    if (name !== undefined) asked.set(name, (asked.get(name) ?? 0) + 1);
  }
  const isStrict = scenario.strict_gates ?? scenario.strict ?? Object.keys(scenario.gates).length > 0;
  const stop = (problem: string): undefined => {
    missing(new ScenarioError(problem));
    return undefined;
  };
  return async (question, signal, _, clock): Promise<Answer | undefined> => {
    switch (question.kind) {
      case "gate":
        return gate(question, signal, clock);
      case "questions":
        return questions(question, signal, clock);
      case "dialog":
        return { kind: "dialog", text: null, by: "scenario" };
    }
  };

  async function gate(question: GateQuestion, signal: AbortSignal, clock?: AskingClock): Promise<Answer | undefined> {
    const { node, key, options, deadline } = question;
    const name = scriptedAs(key, scenario.gates);
    const given = name === undefined ? undefined : scenario.gates[name];
    const count = asked.get(name ?? node) ?? 0;
    asked.set(name ?? node, count + 1);
    const answer = Array.isArray(given) ? (given[count] ?? (isStrict ? undefined : given.at(-1))) : given;
    if (Array.isArray(given) && !answer && isStrict)
      return stop(
        `the answers scripted for the gate ${name ?? node} are used up: it was presented ${given.length + 1} times`,
      );
    if (answer && "nobody" in answer)
      return answer.nobody === "yet" ? undefined : afterDeadline(deadline, signal, clock);
    if (answer) {
      const { by: person, takes_seconds = 0, ...said } = { by: undefined, ...answer };
      await clock?.sleep(takes_seconds * 1000, signal);
      if (signal.aborted) return undefined;
      const answered: Answer = { kind: "gate", ...said, by: "scenario", person };
      // An answer that will be refused is none: the gate waits on, with its reminders, until its time is over.
      if (whyNotBy(question, answered) !== undefined) await afterDeadline(deadline, signal, clock);
      return answered;
    }
    if (isStrict) return stop(`the gate ${askerName(key)} is not scripted`);
    return { kind: "gate", value: options[0]?.value ?? "", additional_input: {}, by: "scenario" };
  }

  async function questions(
    { key, questions: list, deadline }: QuestionList,
    signal: AbortSignal,
    clock?: AskingClock,
  ): Promise<Answer | undefined> {
    const name = scriptedAs(key, scenario.questions);
    const said = name === undefined ? undefined : scenario.questions[name];
    if (said && said.nobody === "yet") return undefined;
    if (said && said.nobody === true) return afterDeadline(deadline, signal, clock);
    const given = said as Readonly<Record<string, string>> | undefined;
    if (!given && isStrict) return stop(`the gate ${askerName(key)} is not scripted`);
    const answers = list.map((one) => {
      const answer = given?.[one.id] ?? one.default;
      if (answer === undefined) return { id: one.id, answer: "", source: "skipped" as const };
      const source = one.choices?.includes(answer) ? ("choice" as const) : ("free_text" as const);
      return { id: one.id, answer, source };
    });
    return { kind: "questions", answers, outcome: "completed", by: "scenario" };
  }
}

const scriptedAs = (key: string, scripted: Readonly<Record<string, unknown>>): string | undefined =>
  longestScripted(askerNames(key), scripted);
