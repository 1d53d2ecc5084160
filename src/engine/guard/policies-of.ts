// From `policies:` of a file to policies that can be asked.
import type { PolicyEntry } from "../../language/schema/resilience.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { Governance } from "./governance.ts";
import { AgentAvailability } from "./resilience/policies/agent-availability.ts";
import { SpendLimit } from "./resilience/policies/budget.ts";
import { MaxConcurrentTasks } from "./resilience/policies/max-concurrent-tasks.ts";
import { PhaseGate } from "./resilience/policies/phase-gate.ts";
import { TaskTimeout } from "./resilience/policies/task-timeout.ts";
import { allowed, denied, type Policy, type PolicyContext, type PolicyResult } from "./resilience/policy.ts";
import { PolicyEngine } from "./resilience/policy-engine.ts";

/** The policies of one file, and what the engine has to do for them. */
export interface FilePolicies {
  readonly engine: PolicyEngine;
  /** The smallest `max_concurrent_tasks`. */
  readonly slots: number | undefined;
  readonly asksAvailability: boolean;
  /** Code of the author's may look at all of the context. */
  readonly hasModules: boolean;
}

export function policiesOf(frame: WorkflowFrame, governance: Governance): FilePolicies | undefined {
  const { policies, phases } = frame.workflow.definition.workflow;
  if (policies.length === 0) return undefined;
  const made = policies.map((entry) => policyOf(entry, frame.workflow.dir, phases, governance));
  const maxima = made.flatMap((policy) => (policy instanceof ReservedSlots ? [policy.max] : []));
  return {
    engine: new PolicyEngine(made),
    slots: maxima.length > 0 ? Math.min(...maxima) : undefined,
    asksAvailability: made.some((policy) => policy instanceof AgentAvailability),
    hasModules: policies.some(({ module, policy }) => module !== undefined || policy !== undefined),
  };
}

function policyOf(entry: PolicyEntry, dir: string, phases: readonly string[], governance: Governance): Policy {
  if (entry.max_concurrent_tasks) return new ReservedSlots(entry.max_concurrent_tasks.max);
  if (entry.task_timeout) return new TaskTimeout(entry.task_timeout);
  if (entry.phase_gate) return new PhaseGate({ ...entry.phase_gate, phases });
  if (entry.agent_availability) return new AgentAvailability();
  if (entry.budget) return new SpendLimit(entry.budget);
  if (entry.policy !== undefined) return governance.ownPolicy(entry.policy);
  return governance.policyModule(entry.module ?? "", dir);
}

/** In the engine a step waits for its slot, which is reserved atomically; only what could never run is denied. */
class ReservedSlots implements Policy {
  readonly name: string;
  readonly description: string;
  readonly max: number;

  constructor(max: number) {
    const { name, description } = new MaxConcurrentTasks({ max });
    this.name = name;
    this.description = description;
    this.max = max;
  }

  /** Counts what all policies are shown: others that are asked before take their time, in which steps begin and end. */
  evaluate({ agent_states = {} }: PolicyContext): PolicyResult {
    const metadata = { running: Object.keys(agent_states).length, max: this.max };
    return this.max >= 1 ? allowed(this.name, metadata) : denied(this.name, "no step may run at all", metadata);
  }
}
