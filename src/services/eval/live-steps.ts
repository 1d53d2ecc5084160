// Which steps of a workflow reach the world, and which of them an eval lets do so.
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Step } from "../../language/schema/index.ts";
import { answeredBy } from "../../steps/types.ts";

export interface PlacedStep {
  /** Names of the sub-workflow steps that lead to it. */
  readonly path: readonly string[];
  readonly step: Step;
  /** The group of the root file that it is in, if it is in one. */
  readonly group?: string;
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
      found.push({ path, step, ...(group === undefined ? {} : { group }) });
      const child = step.type === "workflow" ? children.get(step.workflow) : undefined;
      if (child && !above.includes(child)) visit(child, [...path, slot], [...above, child]);
    }
  };
  visit(root, [], [root]);
  return found;
}

/** Types of steps that are answered for unless they are live; agents are. */
export const reachesWorld = ({ type }: Step): boolean => !["agent_scripts", "nothing"].includes(answeredBy(type));

/** Agents that are asked for real: all, or those of the one step that the eval is of. */
export function liveAgents(root: LoadedWorkflow, step: string | undefined): true | readonly string[] {
  if (step === undefined) return true;
  return allSteps(root)
    .filter((one) => one.step.type === "agent" && isWithin(one, step))
    .map(({ path, step: { name } }) => [...path, name].join("/"));
}

/** Whether a step is the named one of the root file, or inside it. */
export const isWithin = ({ path, step, group }: PlacedStep, name: string): boolean =>
  path.length === 0 ? step.name === name || group === name : path[0] === name;
