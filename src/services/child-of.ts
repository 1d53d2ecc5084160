// From a slot of a sub-workflow path to the file that runs in it.
import type { LoadedWorkflow } from "../language/loaded.ts";

/** Down a sub-workflow path. */
export const childAt = (root: LoadedWorkflow, path: readonly string[]): LoadedWorkflow | undefined =>
  path.reduce<LoadedWorkflow | undefined>((workflow, slot) => workflow && childOf(workflow, slot), root);

/** A slot is a step's name, or `group[key]` for an item of a for_each. */
export function childOf(workflow: LoadedWorkflow, slot: string): LoadedWorkflow | undefined {
  const { agents, for_each } = workflow.definition;
  const group = for_each.find(({ name }) => slot.startsWith(`${name}[`));
  const step = group?.agent ?? agents.find(({ name }) => name === slot);
  return step?.type === "workflow" ? workflow.children.get(step.workflow) : undefined;
}
