// How many steps a sub-workflow has: what a folded one says of itself.
import type { LoadedWorkflow } from "../language/loaded.ts";

/** Those of the file and of the files that it calls; one that calls itself, or a file above, counts no further. */
export function stepsBelow(workflow: LoadedWorkflow, above: readonly LoadedWorkflow[]): number {
  const { agents, for_each } = workflow.definition;
  let count = 0;
  for (const step of [...agents, ...for_each.map(({ agent }) => agent)]) {
    count += 1;
    const child = step.type === "workflow" ? workflow.children.get(step.workflow) : undefined;
    if (child && !above.includes(child)) count += stepsBelow(child, [...above, child]);
  }
  return count;
}
