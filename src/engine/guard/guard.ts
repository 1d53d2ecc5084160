// The one place where resilience and policies meet the interpreter: before every attempt of a leaf step, after an error
// that no route took, and when a visit has ended. Loaded only for runs whose files have any of it.

import { withoutRounds } from "../../events/key.ts";
import type { EventData } from "../../events/registry.ts";
import { mapMaybe, sequence } from "../awaitable.ts";
import type { NodeEnd } from "../ends.ts";
import type { Visit, VisitGuard } from "../frame.ts";
import { inGroup } from "../visit/attempt-events.ts";
import { afterRoutes, escalateOrKeep } from "./after-routes.ts";
import type { AttemptAdmission, RetriedBy, UnroutedError } from "./contract.ts";
import type { Governance, WaitingLetter } from "./governance.ts";
import { GuardedAttempt } from "./guarded-attempt.ts";
import { GuardedRun } from "./guarded-run.ts";

const isDenied = (end: NodeEnd): boolean => end.type === "raised" && end.error.kind === "policy.denied";

/** A node of the root's file: its routes are the last that are read. */
const isOutermost = ({ member, frame }: Visit): boolean => !member && !frame.parent;

export class Guard implements VisitGuard {
  readonly #run: GuardedRun;

  constructor(governance: Governance) {
    this.#run = new GuardedRun(governance);
  }

  admission(visit: Visit): AttemptAdmission | undefined {
    return visit.work.isContainer ? undefined : new GuardedAttempt(this.#run, visit);
  }

  spent(step: string, usage: EventData<"agent_usage">): void {
    this.#run.spend.add(step, usage);
  }

  routed({ work, key }: Visit): void {
    if (work.isContainer) this.#run.held.release(key);
  }

  unrouted(visit: Visit, failure: UnroutedError): Promise<false | RetriedBy> {
    return afterRoutes(this.#run, visit, failure);
  }

  async wentUp(visit: Visit): Promise<void> {
    if (isOutermost(visit)) await this.#carryOut(visit);
  }

  continuedWithoutFailures(group: { readonly key: string; readonly signal: AbortSignal }): Promise<void> {
    return this.#carryOut(group);
  }

  /** Nothing is left that could handle these errors. */
  async #carryOut({ key, signal }: { readonly key: string; readonly signal: AbortSignal }): Promise<void> {
    for (const error of this.#run.held.release(key)) await escalateOrKeep(this.#run, error, signal);
  }

  visitEnded(visit: Visit, end: NodeEnd): void | Promise<void> {
    this.#countInPhase(visit, end);
    // The run ends here, and no group has decided about the errors raised beside this one.
    if ((end.type === "halted" || end.type === "limit") && isOutermost(visit)) return this.#carryOut(visit);
    if (end.type !== "succeeded") return;
    const waiting = this.#run.governance.letters.waiting(withoutRounds(visit.key));
    return mapMaybe(waiting, (letter) => (letter ? this.#resolve(letter, visit) : undefined));
  }

  #countInPhase({ frame, work, key, member }: Visit, end: NodeEnd): void {
    const { phase } = work.step ?? {};
    if (phase === undefined || (end.type !== "succeeded" && end.type !== "raised")) return;
    const phases = this.#run.phasesOf(frame);
    // What is reused was let in by an earlier drive, unless that is what it was denied. Containers are never let in.
    if (end.reused && !work.isContainer && !isDenied(end)) phases.enter(phase);
    phases.ended(phase, member ? key : work.name, end.type === "succeeded");
  }

  /** First the journal, then the letter: after a kill in between it is still open, and settled by the next drive. */
  #resolve(letter: WaitingLetter, { frame, work, key, member }: Visit): void | Promise<void> {
    const { durable } = frame.engine;
    const resolved: EventData<"dead_letter_resolved"> = { node: work.name, kind: letter.kind, letter: letter.id };
    durable.note(frame.path, "dead_letter_resolved", inGroup(resolved, member));
    return sequence(
      () => durable.commit(),
      () => this.#run.governance.letters.resolve(withoutRounds(key)),
    );
  }
}
