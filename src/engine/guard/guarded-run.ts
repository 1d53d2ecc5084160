// What the guard knows of the run that this drive drives: what it has spent, what runs now, which phase each workflow is
// in, which policies hold where, and which errors were escalated or kept already.
import type { WorkflowFrame } from "../frame.ts";
import type { Governance } from "./governance.ts";
import { HeldErrors } from "./held-errors.ts";
import { Phases } from "./phases.ts";
import { type FilePolicies, policiesOf } from "./policies-of.ts";
import { Spend } from "./spend.ts";

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
