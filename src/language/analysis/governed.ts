// A file together with what its callers hold it to: their policies are asked before its steps too, and without
// `resilience` of its own it has theirs. One file may raise more under one caller than under another.
import { stepTypeOf } from "../../steps/types.ts";
import type { LoadedWorkflow } from "../loaded.ts";
import type { Step } from "../schema/index.ts";

export interface GovernedBy {
  readonly workflow: LoadedWorkflow;
  /** What its policies, and those of its callers, can deny. */
  readonly denials: Denials;
  /** Whether a breaker of scope `step` guards its steps. */
  readonly stepBreaker: boolean;
}

export interface Denials {
  /** Some policy may deny any step. */
  readonly any: boolean;
  /** A step with a timeout above this many seconds is denied. */
  readonly longest?: number;
  /** A step of another phase may be denied. */
  readonly phases: boolean;
}

/** Whether a policy can deny this very step. */
export function mayDeny({ any, longest, phases }: Denials, step: Step): boolean {
  if (any) return true;
  if (phases && "phase" in step && step.phase !== undefined) return true;
  // How long a person may take is no timeout of a task.
  if (longest === undefined || stepTypeOf(step).asksPeople) return false;
  const timeout = "timeout" in step ? step.timeout : undefined;
  return timeout !== undefined && !(timeout > 0 && timeout <= longest);
}

function denialsOf(workflow: LoadedWorkflow, caller: Denials | undefined): Denials {
  const policies = workflow.definition.workflow.policies ?? [];
  const limits = [
    ...policies.flatMap(({ task_timeout }) => task_timeout?.max_seconds ?? []),
    ...maybe(caller?.longest),
  ];
  return {
    any:
      caller?.any === true ||
      policies.some(
        ({ task_timeout, phase_gate, max_concurrent_tasks }) =>
          !task_timeout && !phase_gate && !(max_concurrent_tasks && max_concurrent_tasks.max >= 1),
      ),
    ...(limits.length > 0 ? { longest: Math.min(...limits) } : {}),
    phases: caller?.phases === true || policies.some(({ phase_gate }) => phase_gate !== undefined),
  };
}

const maybe = (value: number | undefined): readonly number[] => (value === undefined ? [] : [value]);

const known = new WeakMap<LoadedWorkflow, Map<string, GovernedBy>>();

/** A file as it runs below a caller, or by itself. The same circumstances give the same object. */
export function governed(workflow: LoadedWorkflow, caller?: GovernedBy): GovernedBy {
  const { resilience } = workflow.definition.workflow;
  const denials = denialsOf(workflow, caller?.denials);
  const stepBreaker = resilience ? resilience.circuit_breaker?.scope === "step" : (caller?.stepBreaker ?? false);
  const forms = known.get(workflow) ?? new Map<string, GovernedBy>();
  known.set(workflow, forms);
  const key = JSON.stringify([denials, stepBreaker]);
  const form = forms.get(key) ?? { workflow, denials, stepBreaker };
  forms.set(key, form);
  return form;
}
