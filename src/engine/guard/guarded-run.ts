// What the guard knows of the run that this drive drives: what it has spent, what runs now, which phase each workflow is
// in, which policies hold where, and which errors were escalated or kept already.

import type { EventData } from "../../events/registry.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { Governance } from "./governance.ts";
import { HeldErrors } from "./held-errors.ts";
import { type FilePolicies, policiesOf } from "./policies-of.ts";

export class GuardedRun {
  readonly governance: Governance;
  readonly spend = new Spend();
  /** Keys of the attempts that run now. */
  readonly running = new Set<string>();
  /**
   * Errors that were escalated or kept as letters already, by the place where they were raised: that object stays the
   * same when an error crosses into a parent, whose own resilience then leaves it alone.
   */
  readonly escalatedOrKept = new WeakSet<object>();
  /** Errors that wait for the routes of their group or caller. */
  readonly held = new HeldErrors();
  readonly #phases = new WeakMap<WorkflowFrame, Phases>();
  readonly #policies = new WeakMap<WorkflowFrame, readonly FilePolicies[]>();

  constructor(governance: Governance) {
    this.governance = governance;
  }

  phasesOf(frame: WorkflowFrame): Phases {
    const phases = this.#phases.get(frame) ?? new Phases();
    this.#phases.set(frame, phases);
    return phases;
  }

  /** The policies of the root's file first, then of each child's on the way down. */
  policiesFor(frame: WorkflowFrame): readonly FilePolicies[] {
    let all = this.#policies.get(frame);
    if (!all) {
      const own = policiesOf(frame, this.governance);
      all = [...(frame.parent ? this.policiesFor(frame.parent) : []), ...(own ? [own] : [])];
      this.#policies.set(frame, all);
    }
    return all;
  }
}

/**
 * What a run has spent so far in this drive, in all and for each step: the basis of the `budget` policy's estimates.
 */
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
    const known = this.#steps.get(step) ?? { usd: 0, executions: 0 };
    this.#steps.set(step, known);
    return known;
  }
}

interface Tally {
  /** The latest end of each step, or of each item, of the phase. */
  readonly ends: Map<string, boolean>;
}

/** How far a workflow is in its phases, and how well each went: what `phase_gate` asks. */
export class Phases {
  #current: string | undefined;
  readonly #tallies = new Map<string, Tally>();

  get current(): string | undefined {
    return this.#current;
  }

  /** A step of the phase may run. */
  enter(phase: string): void {
    this.#current = phase;
  }

  /** A step or item ended. One that raised counts as failed, even if recovered; one that runs again counts anew. */
  ended(phase: string, id: string, ok: boolean): void {
    const tally = this.#tallies.get(phase) ?? { ends: new Map<string, boolean>() };
    this.#tallies.set(phase, tally);
    tally.ends.set(id, ok);
  }

  get counts(): { readonly completed: number; readonly failed: number } {
    const ends = [...(this.#tallies.get(this.#current ?? "")?.ends.values() ?? [])];
    const completed = ends.filter(Boolean).length;
    return { completed, failed: ends.length - completed };
  }
}
