// Which steps of a workflow reach the world, which of them an eval lets do so, and which need answers instead.
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Step } from "../../language/schema/index.ts";
import { answeredBy } from "../../steps/types.ts";
import type { LoadedScenario } from "../scenarios/file.ts";
import type { EvalSpec } from "./eval-file.ts";

interface PlacedStep {
  /** After the names of the sub-workflow steps that lead to it: `package/verify`. */
  readonly name: string;
  readonly step: Step;
  /** The step or the group of the root file that it is in, or that it is. */
  readonly within: readonly string[];
}

/** Every step of a workflow and of what it calls, each once for each way that leads to it. */
export function allSteps(root: LoadedWorkflow): readonly PlacedStep[] {
  const found: PlacedStep[] = [];
  const visit = (
    { definition, children }: LoadedWorkflow,
    path: readonly string[],
    above: readonly LoadedWorkflow[],
  ): void => {
    const members = new Map(
      definition.parallel.flatMap(({ name, agents }) => agents.map((one) => [String(one), name])),
    );
    const all = [
      ...definition.agents.map((step) => ({ step, slot: step.name, group: members.get(step.name) })),
      ...definition.for_each.map(({ name, agent }) => ({ step: agent, slot: name, group: name })),
    ];
    for (const { step, slot, group } of all) {
      const within = path.length > 0 ? path.slice(0, 1) : [step.name, ...(group === undefined ? [] : [group])];
      found.push({ name: [...path, step.name].join("/"), step, within });
      const child = step.type === "workflow" ? children.get(step.workflow) : undefined;
      if (child && !above.includes(child)) visit(child, [...path, slot], [...above, child]);
    }
  };
  visit(root, [], [root]);
  return found;
}

/** Types of steps that are answered for unless they are live; agents are. */
const reachesWorld = ({ type }: Step): boolean => !["agent_scripts", "nothing"].includes(answeredBy(type));

/** Agents that are asked for real: all, or those of the one step that the eval is of. */
export function liveAgents(root: LoadedWorkflow, wanted: string | undefined): true | readonly string[] {
  if (wanted === undefined) return true;
  const live = allSteps(root).filter(({ step, within }) => step.type === "agent" && within.includes(wanted));
  return live.map(({ name }) => name);
}

interface LiveEval {
  readonly spec: Pick<EvalSpec, "live" | "step">;
  readonly workflow: LoadedWorkflow;
  readonly scenario?: LoadedScenario;
}

const isNamed = ({ spec: { live } }: LiveEval, { name, step }: PlacedStep): boolean =>
  live.includes(step.name) || live.includes(name);

export interface LiveCall {
  readonly step: string;
  readonly type: string;
  readonly model?: string;
}

/** What an eval would do for real, in the order of the files. */
export function liveCalls(checked: LiveEval): readonly LiveCall[] {
  const { spec, workflow, scenario } = checked;
  const scripted = scenario?.scenario.agent_scripts ?? {};
  const { default_model } = workflow.definition.workflow.runtime;
  return allSteps(workflow).flatMap((placed): LiveCall[] => {
    const { name, step, within } = placed;
    const call = { step: name, type: step.type };
    const isMeant = isNamed(checked, placed);
    if (step.type !== "agent") return isMeant && reachesWorld(step) ? [call] : [];
    const isAsked = spec.step === undefined || within.includes(spec.step);
    const isScripted = Object.hasOwn(scripted, name) || Object.hasOwn(scripted, step.name);
    if (!isMeant && (!isAsked || isScripted)) return [];
    const model = [step.model ?? default_model].flat()[0];
    return [typeof model === "string" && model !== "" ? { ...call, model } : call];
  });
}

/** Steps that reach the world and are not live: they need answers. */
export const answeredFor = (checked: LiveEval): readonly string[] =>
  allSteps(checked.workflow)
    .filter((placed) => reachesWorld(placed.step) && !isNamed(checked, placed))
    .map(({ name }) => name);
