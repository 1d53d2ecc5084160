// Whether a run needs resilience and policies at all. Most do not, and then nothing of it is loaded.
import type { LoadedWorkflow } from "../../language/loaded.ts";

export function isGoverned(workflow: LoadedWorkflow, seen = new Set<LoadedWorkflow>()): boolean {
  if (seen.has(workflow)) return false;
  seen.add(workflow);
  const { resilience, policies } = workflow.definition.workflow;
  if (resilience !== undefined || policies.length > 0) return true;
  return [...workflow.children.values()].some((child) => isGoverned(child, seen));
}
