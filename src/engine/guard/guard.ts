// The one place where resilience and policies meet the interpreter: before every attempt of a leaf step, after an error
// that no route took, and when a visit has ended. Loaded only for runs whose files have any of it.
import { withoutRounds } from "../../events/key.ts";
import type { EventData } from "../../events/registry.ts";
import type { NodeEnd } from "../ends.ts";
import type { Frame } from "../frame.ts";
import type { Visit } from "../visit/prepare.ts";
import type { Work } from "../visit/work.ts";
import { afterRoutes, type Unrouted } from "./after-routes.ts";
import type { Governance } from "./governance.ts";
import { Passing } from "./passing.ts";
import { Phases } from "./phases.ts";
import { type FilePolicies, policiesOf } from "./policies-of.ts";
import { Spend } from "./spend.ts";

const isDenied = (end: NodeEnd): boolean => end.type === "raised" && end.error.kind === "policy.denied";

export class Guard {
  readonly governance: Governance;
  readonly spend = new Spend();
  /** Keys of the attempts that run now. */
  readonly running = new Set<string>();
  /**
   * Errors that were escalated or kept as letters already, by the place where they were raised: that object stays the
   * same when an error crosses into a parent, whose own resilience then leaves it alone.
   */
  readonly dealtWith = new WeakSet<object>();
  readonly #phases = new WeakMap<Frame, Phases>();
  readonly #policies = new WeakMap<Frame, readonly FilePolicies[]>();

  constructor(governance: Governance) {
    this.governance = governance;
  }

  /** An attempt that asks to be made. Containers are not guarded: what is inside them is. */
  passing(frame: Frame, work: Work, at: Visit): Passing | undefined {
    return work.isContainer ? undefined : new Passing(this, frame, work, at);
  }

  /** What the calls of a step cost, as they are told. */
  spent(step: string, usage: EventData<"agent_usage">): void {
    this.spend.add(step, usage);
  }

  /** An error that no route took: true when the step is to run again, after a wait that has passed then. */
  unrouted(frame: Frame, work: Work, at: Visit, failure: Unrouted): Promise<boolean> {
    return afterRoutes(this, frame, work, at, failure);
  }

  /** A visit ended, by running or by reuse. */
  left(frame: Frame, work: Work, at: Visit, end: NodeEnd): void {
    const { phase } = work.step ?? {};
    if (phase !== undefined && (end.type === "succeeded" || end.type === "raised")) {
      const phases = this.phasesOf(frame);
      // What is reused was let in by an earlier drive, unless that is what it was denied. Containers are let in by nobody.
      if (end.reused && !work.isContainer && !isDenied(end)) phases.enter(phase);
      phases.ended(phase, at.member ? at.key : work.name, end.type === "succeeded");
    }
    const place = withoutRounds(at.key);
    const letter = end.type === "succeeded" ? this.governance.letters.waiting(place) : undefined;
    if (!letter) return;
    const { durable } = frame.engine;
    durable.note(frame.path, "dead_letter_resolved", {
      node: work.name,
      kind: letter.kind,
      letter: letter.id,
      ...(at.member?.item_key === undefined ? {} : { item_key: at.member.item_key }),
    });
    // First the journal, then the letter: after a kill in between it is still open, and settled by the next drive.
    durable.commit();
    this.governance.letters.resolve(place);
  }

  phasesOf(frame: Frame): Phases {
    const phases = this.#phases.get(frame) ?? new Phases();
    this.#phases.set(frame, phases);
    return phases;
  }

  /** The policies of the root's file first, then of each child's on the way down. */
  policiesFor(frame: Frame): readonly FilePolicies[] {
    let all = this.#policies.get(frame);
    if (!all) {
      const own = policiesOf(frame, this.governance);
      all = [...(frame.parent ? this.policiesFor(frame.parent) : []), ...(own ? [own] : [])];
      this.#policies.set(frame, all);
    }
    return all;
  }
}
