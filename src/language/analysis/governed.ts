// A file together with what its callers hold it to: their policies are asked before its steps too, and without
// `resilience` of its own it has theirs. One file may raise more under one caller than under another.
import type { LoadedWorkflow } from "../loaded.ts";

export interface GovernedBy {
  readonly workflow: LoadedWorkflow;
  /** Whether a policy can deny its steps. */
  readonly denies: boolean;
  /** Whether a breaker of scope `step` guards its steps. */
  readonly stepBreaker: boolean;
}

const known = new WeakMap<LoadedWorkflow, Map<string, GovernedBy>>();

/** A file as it runs below a caller, or by itself. The same circumstances give the same object. */
export function governed(workflow: LoadedWorkflow, caller?: GovernedBy): GovernedBy {
  const { policies, resilience } = workflow.definition.workflow;
  const denies = (policies ?? []).length > 0 || (caller?.denies ?? false);
  const stepBreaker = resilience ? resilience.circuit_breaker?.scope === "step" : (caller?.stepBreaker ?? false);
  const forms = known.get(workflow) ?? new Map<string, GovernedBy>();
  known.set(workflow, forms);
  const key = `${denies} ${stepBreaker}`;
  const form = forms.get(key) ?? { workflow, denies, stepBreaker };
  forms.set(key, form);
  return form;
}
