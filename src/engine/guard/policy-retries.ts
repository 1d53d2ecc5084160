// The retries of a visit that no route asked for: the file's `resilience` did.
import type { Envelope } from "../../errors/index.ts";
import { POLICY_ROUTE } from "../../events/policy-route.ts";
import type { Recorded } from "../../events/recall.ts";
import type { Visit } from "../frame.ts";
import type { AttemptEnd } from "../visit/attempt-under-way.ts";
import type { PreparedVisit } from "../visit/prepare.ts";
import type { RoutedEnd } from "../visit/read-routes.ts";

export class PolicyRetries {
  #made: number;
  #errors: Envelope[] | undefined;

  constructor(recorded: Recorded | undefined) {
    this.#made = recorded?.spentRetries[POLICY_ROUTE] ?? 0;
  }

  /** Whether the step is to run again; the wait has passed then. Never when a route took the error. */
  async again(
    visit: Visit,
    { end, decision }: RoutedEnd,
    attempt: number,
    prepared: PreparedVisit,
    { endedAt, dice, breaker }: AttemptEnd,
  ): Promise<boolean> {
    const { guard } = visit.frame.engine;
    if (!guard || end.type !== "raised") return false;
    const { error } = end;
    this.#errors ??= [];
    this.#errors.push(error);
    const isPropagated = decision?.action === "propagate";
    if (decision?.action !== "unhandled" && !isPropagated) {
      guard.routed(visit);
      return false;
    }
    if (visit.signal.aborted) return false;
    const values = prepared.ok ? prepared.values : undefined;
    const seen = { error, errors: this.#errors, attempt, isPropagated, retries: this.#made };
    if (!end.unopted && (await guard.unrouted(visit, { ...seen, breaker, values, endedAt, dice }))) {
      this.#made += 1;
      return true;
    }
    await guard.wentUp(visit);
    return false;
  }
}
