// The scenario of one row: what is live, and who answers for everything else. A row is an ordinary run with it, so that it can
// be looked at, and resumed, as any other. The row's inputs are given to the run itself, which keeps those that are secret.
import { isMapping } from "../../errors/mapping.ts";
import type { WrittenScenario } from "../history/scenario-of-run.ts";
import type { CheckedEval } from "./check-eval.ts";
import { JUDGE } from "./graders/grader-world.ts";
import { allSteps, isWithin, liveAgents, reachesWorld } from "./live-steps.ts";

const LISTS = ["cli_scripts", "http_scripts", "mcp_scripts", "step_scripts", "inject"] as const;

export interface RowWorld {
  readonly set: Readonly<Record<string, unknown>>;
  /** What the row's own run was answered. */
  readonly recorded?: WrittenScenario;
  /** Files of answers, relative to the scenario's. */
  readonly fixtures: readonly string[];
  /** What the run may cost. */
  readonly budgetUsd?: number;
}

export function rowScenario(checked: CheckedEval, world: RowWorld): WrittenScenario {
  const { spec, workflow, scenario } = checked;
  const { set, recorded = {}, fixtures, budgetUsd } = world;
  const own = { ...(scenario?.scenario ?? {}) } as Record<string, unknown>;
  const { [JUDGE]: _, ...scripted } = asMapping(own.agent_scripts);
  return {
    workflow: workflow.file,
    ...(own.env ? { env: own.env } : {}),
    ...(fixtures.length > 0 ? { fixtures } : {}),
    agent_scripts: { ...agentsBefore(checked, recorded), ...scripted },
    ...Object.fromEntries(LISTS.map((name) => [name, [...asList(own[name]), ...asList(recorded[name])]])),
    gates: { ...asMapping(recorded.gates), ...asMapping(own.gates) },
    questions: { ...asMapping(recorded.questions), ...asMapping(own.questions) },
    live: spec.live,
    live_agents: liveAgents(workflow, spec.step),
    set: { ...set, ...budgetOf(checked, budgetUsd) },
    ...(spec.step === undefined ? {} : { until: spec.step }),
    started_by: own.started_by ?? `eval:${evalName(checked)}`,
    strict: true,
    ...(own.strict_gates === undefined ? {} : { strict_gates: own.strict_gates }),
  };
}

export const evalName = ({ spec, file }: Pick<CheckedEval, "spec" | "file">): string =>
  spec.name ?? (file.split(/[\\/]/).at(-1) ?? file).replace(/(\.eval)?\.ya?ml$/, "");

const asMapping = (value: unknown): Readonly<Record<string, unknown>> => (isMapping(value) ? value : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Only an eval of one step has agents that are answered for. */
function agentsBefore({ spec, workflow }: CheckedEval, recorded: WrittenScenario): Readonly<Record<string, unknown>> {
  const { step } = spec;
  if (step === undefined) return {};
  const live = liveAgents(workflow, step) as readonly string[];
  return Object.fromEntries(Object.entries(asMapping(recorded.agent_scripts)).filter(([name]) => !live.includes(name)));
}

/** A limit of the workflow itself that is lower stays. */
function budgetOf({ workflow }: CheckedEval, usd: number | undefined): Readonly<Record<string, unknown>> {
  const { budget_usd, budget_mode } = workflow.definition.workflow.limits;
  if (usd === undefined || (budget_mode === "enforce" && (budget_usd ?? Number.POSITIVE_INFINITY) <= usd)) return {};
  return { "limits.budget_usd": usd, "limits.budget_mode": "enforce" };
}

export interface LiveCall {
  readonly step: string;
  readonly type: string;
  readonly model?: string;
}

/** What an eval would do for real, in the order of the files. */
export function liveCalls(checked: CheckedEval): readonly LiveCall[] {
  const { spec, workflow, scenario } = checked;
  const scripted = new Set(Object.keys(scenario?.scenario.agent_scripts ?? {}));
  const { default_model } = workflow.definition.workflow.runtime;
  return allSteps(workflow).flatMap((placed): LiveCall[] => {
    const { path, step } = placed;
    const name = [...path, step.name].join("/");
    const isMeant = spec.live.includes(step.name) || spec.live.includes(name);
    if (step.type !== "agent") return isMeant && reachesWorld(step) ? [{ step: name, type: step.type }] : [];
    const isOf = spec.step === undefined || isWithin(placed, spec.step);
    if (!isMeant && (!isOf || scripted.has(name) || scripted.has(step.name))) return [];
    const model = [step.model ?? default_model].flat()[0];
    return [{ step: name, type: step.type, ...(typeof model === "string" && model !== "" ? { model } : {}) }];
  });
}

/** Steps that reach the world and are not live: somebody has to answer for them. */
export const answeredFor = ({ spec, workflow }: CheckedEval): readonly string[] =>
  allSteps(workflow)
    .filter(({ path, step }) => {
      const name = [...path, step.name].join("/");
      return reachesWorld(step) && !spec.live.includes(step.name) && !spec.live.includes(name);
    })
    .map(({ path, step }) => [...path, step.name].join("/"));
