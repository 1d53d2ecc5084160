// Whether a run needs resilience and policies at all, and whether a policy is code of the project. Most runs need neither,
// and then nothing of it is loaded.
import { familyOf, type LoadedWorkflow } from "../../language/loaded.ts";

const sections = (root: LoadedWorkflow) => familyOf(root).map(({ definition }) => definition.workflow);

export const isGoverned = (workflow: LoadedWorkflow): boolean =>
  sections(workflow).some(({ resilience, policies }) => resilience !== undefined || policies.length > 0);

export const hasPolicyModule = (workflow: LoadedWorkflow): boolean =>
  sections(workflow).some(({ policies }) =>
    policies.some((policy) => "module" in policy && policy.module !== undefined),
  );
