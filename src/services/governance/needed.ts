// Whether a run needs resilience and policies at all, and whether a policy is code of the project. Most runs need neither,
// and then nothing of it is loaded.
import type { LoadedWorkflow } from "../../language/loaded.ts";

type Section = LoadedWorkflow["definition"]["workflow"];

export const isGoverned = (workflow: LoadedWorkflow): boolean =>
  hasSection(workflow, ({ resilience, policies }) => resilience !== undefined || policies.length > 0);

export const hasPolicyModule = (workflow: LoadedWorkflow): boolean =>
  hasSection(workflow, ({ policies }) => policies.some((policy) => "module" in policy && policy.module !== undefined));

/** Of the workflow itself, or of one that it calls. */
function hasSection(
  workflow: LoadedWorkflow,
  isMeant: (section: Section) => boolean,
  seen = new Set<LoadedWorkflow>(),
): boolean {
  if (seen.has(workflow)) return false;
  seen.add(workflow);
  return (
    isMeant(workflow.definition.workflow) ||
    [...workflow.children.values()].some((child) => hasSection(child, isMeant, seen))
  );
}
