// What the guard knows of the run that this drive drives: what it has spent, what runs now, which phase each workflow is
// in, which policies hold where, and which errors wait, or were escalated or kept already.
import type { Envelope } from "../../base/errors/index.ts";
import { keptIn } from "../../base/errors/mapping.ts";
import { isInside } from "../../base/events/key.ts";
import type { EventData } from "../../base/events/registry.ts";
import type { PolicyEntry, Resilience } from "../../language/schema/resilience.ts";
import type { Governance, UnroutedError } from "../contract.ts";
import type { Visit, WorkflowFrame } from "../frame.ts";
import { HeldCalls } from "./held-calls.ts";
import { AgentAvailability, MaxConcurrentTasks, PhaseGate, SpendLimit, TaskTimeout } from "./resilience/policies.ts";
import {
  allowed,
  denied,
  type Policy,
  type PolicyContext,
  PolicyEngine,
  type PolicyResult,
} from "./resilience/policy.ts";

export class GuardedRun {
  readonly spend = new Spend();
  /** Keys of the attempts that run now. */
  readonly running = new Set<string>();
  /** Errors escalated or kept already, by the place where they were raised: an object that parents see unchanged. */
  readonly escalatedOrKept = new WeakSet<object>();
  /** Errors that wait for the routes of their group or caller. */
  readonly held = new HeldErrors();
  /** Calls that wait for their breaker. */
  readonly heldCalls = new HeldCalls();
  readonly #phases = new WeakMap<WorkflowFrame, Phases>();
  readonly #policies = new WeakMap<WorkflowFrame, readonly FilePolicies[]>();

  constructor(readonly governance: Governance) {}

  phasesOf(frame: WorkflowFrame): Phases {
    return keptIn(this.#phases, frame, () => new Phases());
  }

  /** The policies of the root's file first, then of each child's on the way down. */
  policiesFor(frame: WorkflowFrame): readonly FilePolicies[] {
    return keptIn(this.#policies, frame, () => {
      const own = policiesOf(frame, this.governance);
      return [...(frame.parent ? this.policiesFor(frame.parent) : []), ...(own ? [own] : [])];
    });
  }
}

/** What a run has spent so far in this drive, in all and for each step: the basis of the `budget` policy's estimates. */
class Spend {
  usd = 0;
  readonly #steps = new Map<string, { usd: number; executions: number }>();

  add(step: string, { cost_usd }: Pick<EventData<"agent_usage">, "cost_usd">): void {
    this.usd += cost_usd ?? 0;
    this.#entry(step).usd += cost_usd ?? 0;
  }

  executed(step: string): void {
    this.#entry(step).executions += 1;
  }

  /** A step's own average so far; null when it has not run, or costs nothing that is known. */
  estimate(step: string): number | null {
    const known = this.#steps.get(step);
    return known && known.executions > 0 && known.usd > 0 ? known.usd / known.executions : null;
  }

  #entry(step: string): { usd: number; executions: number } {
    return keptIn(this.#steps, step, () => ({ usd: 0, executions: 0 }));
  }
}

/** How far a workflow is in its phases, and how well each went: what `phase_gate` asks. */
export class Phases {
  #current: string | undefined;
  /** By phase: the latest end of each of its steps, or of each item. */
  readonly #ends = new Map<string, Map<string, boolean>>();

  get current(): string | undefined {
    return this.#current;
  }

  /** A step of the phase may run. */
  enter(phase: string): void {
    this.#current = phase;
  }

  /** A step or item ended. One that raised counts as failed, even if recovered; one that runs again counts anew. */
  ended(phase: string, id: string, ok: boolean): void {
    keptIn(this.#ends, phase, () => new Map()).set(id, ok);
  }

  get counts(): { readonly completed: number; readonly failed: number } {
    const ends = [...(this.#ends.get(this.#current ?? "")?.values() ?? [])];
    const completed = ends.filter(Boolean).length;
    return { completed, failed: ends.length - completed };
  }
}

export interface HeldError {
  readonly visit: Visit;
  readonly failure: UnroutedError;
  /** Whom to tell if nothing handles it. */
  readonly escalate: Resilience["escalate"];
  /** Whether it is to be kept, or its letter waits already. */
  readonly letter: "new" | "waiting" | undefined;
}

class HeldErrors {
  readonly #held = new Set<HeldError>();
  /** By the place where an error was raised, an object that stays the same when it crosses into a group or a caller. */
  readonly #places = new WeakSet<object>();
  readonly #judges = new WeakMap<object, Resilience>();

  hold(error: HeldError): void {
    this.#held.add(error);
    this.#places.add(error.failure.error.raised_at);
  }

  /** Whether the same error was held further inside. */
  isHeld({ raised_at }: Envelope): boolean {
    return this.#places.has(raised_at);
  }

  /** Whether a section is shown the error for the first time: a caller's acts in its children too, and judges once. */
  isNewTo(section: Resilience, { raised_at }: Envelope): boolean {
    const isNew = this.#judges.get(raised_at) !== section;
    this.#judges.set(raised_at, section);
    return isNew;
  }

  /** Lets go of the errors of a visit and of all that happened inside it, and gives them in order of time. */
  release(key: string): readonly HeldError[] {
    const released = [...this.#held].filter(({ visit }) => visit.key === key || isInside(visit.key, key));
    for (const error of released) this.#held.delete(error);
    return released;
  }
}

/** The policies of one file, and what the engine has to do for them. */
interface FilePolicies {
  readonly engine: PolicyEngine;
  readonly entries: readonly PolicyEntry[];
  /** The smallest `max_concurrent_tasks`. */
  readonly slots: number | undefined;
  readonly asksAvailability: boolean;
  /** Code of the author's may look at all of the context. */
  readonly hasModules: boolean;
}

function policiesOf(frame: WorkflowFrame, governance: Governance): FilePolicies | undefined {
  const { policies: entries, phases } = frame.workflow.definition.workflow;
  if (entries.length === 0) return undefined;
  const maxima = entries.flatMap(({ max_concurrent_tasks }) => max_concurrent_tasks?.max ?? []);
  return {
    engine: new PolicyEngine(
      entries.map((entry) => governance.policyFrom(entry, frame.workflow.dir) ?? policyOf(entry, phases)),
    ),
    entries,
    slots: maxima.length > 0 ? Math.min(...maxima) : undefined,
    asksAvailability: entries.some(({ agent_availability }) => agent_availability !== undefined),
    hasModules: entries.some(({ module, policy }) => module !== undefined || policy !== undefined),
  };
}

function policyOf(entry: PolicyEntry, phases: readonly string[]): Policy {
  if (entry.max_concurrent_tasks) return new ReservedSlots(entry.max_concurrent_tasks.max);
  if (entry.task_timeout) return new TaskTimeout(entry.task_timeout);
  if (entry.phase_gate) return new PhaseGate({ ...entry.phase_gate, phases });
  if (entry.agent_availability) return new AgentAvailability();
  if (entry.budget) return new SpendLimit(entry.budget);
  throw new Error(`nobody answers for the policy ${JSON.stringify(entry)}`);
}

/** In the engine a step waits for its slot, which is reserved atomically; only what could never run is denied. */
class ReservedSlots implements Policy {
  readonly name: string;
  readonly description: string;

  constructor(readonly max: number) {
    const { name, description } = new MaxConcurrentTasks({ max });
    this.name = name;
    this.description = description;
  }

  /** Counts what all policies are shown: others that are asked before take their time, in which steps begin and end. */
  evaluate({ agent_states = {} }: PolicyContext): PolicyResult {
    const metadata = { running: Object.keys(agent_states).length, max: this.max };
    return this.max >= 1 ? allowed(this.name, metadata) : denied(this.name, "no step may run at all", metadata);
  }
}
