// The one place where resilience and policies meet the interpreter: before every attempt of a leaf step, after an error
// that no route took, and when a visit has ended. Loaded only for runs whose files have any of it.

import { withoutRounds } from "../../events/key.ts";
import type { EventData } from "../../events/registry.ts";
import { afterwards, inTurn } from "../awaitable.ts";
import type { NodeEnd } from "../ends.ts";
import type { Visit, VisitGuard } from "../frame.ts";
import { inGroup } from "../visit/attempt-events.ts";
import { afterRoutes } from "./after-routes.ts";
import type { AttemptAdmission, UnroutedError } from "./contract.ts";
import type { Governance, WaitingLetter } from "./governance.ts";
import { GuardedAttempt } from "./guarded-attempt.ts";
import { GuardedRun } from "./guarded-run.ts";

const isDenied = (end: NodeEnd): boolean => end.type === "raised" && end.error.kind === "policy.denied";

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

  unrouted(visit: Visit, failure: UnroutedError): Promise<boolean> {
    return afterRoutes(this.#run, visit, failure);
  }

  visitEnded(visit: Visit, end: NodeEnd): void | Promise<void> {
    this.#countInPhase(visit, end);
    if (end.type !== "succeeded") return;
    const waiting = this.#run.governance.letters.waiting(withoutRounds(visit.key));
    return afterwards(waiting, (letter) => (letter ? this.#resolve(letter, visit) : undefined));
  }

  #countInPhase({ frame, work, key, member }: Visit, end: NodeEnd): void {
    const { phase } = work.step ?? {};
    if (phase === undefined || (end.type !== "succeeded" && end.type !== "raised")) return;
    const phases = this.#run.phasesOf(frame);
    // What is reused was let in by an earlier drive, unless that is what it was denied. Containers are let in by nobody.
    if (end.reused && !work.isContainer && !isDenied(end)) phases.enter(phase);
    phases.ended(phase, member ? key : work.name, end.type === "succeeded");
  }

  /** First the journal, then the letter: after a kill in between it is still open, and settled by the next drive. */
  #resolve(letter: WaitingLetter, { frame, work, key, member }: Visit): void | Promise<void> {
    const { durable } = frame.engine;
    const resolved: EventData<"dead_letter_resolved"> = { node: work.name, kind: letter.kind, letter: letter.id };
    durable.note(frame.path, "dead_letter_resolved", inGroup(resolved, member));
    return inTurn(
      () => durable.commit(),
      () => this.#run.governance.letters.resolve(withoutRounds(key)),
    );
  }
}
