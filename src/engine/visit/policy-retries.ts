// The retries of a visit that `resilience:` of the file asks for, not a route.
import type { Envelope } from "../../base/errors/index.ts";
import type { Recorded } from "../../base/events/visits/recall.ts";
import { POLICY_ROUTE } from "../../base/events/visits/recorded.ts";
import type { RetriedBy } from "../contract.ts";
import type { Visit } from "../frame.ts";
import type { AttemptEnd } from "./attempt-under-way.ts";
import type { PreparedVisit } from "./prepare.ts";
import type { RoutedEnd } from "./read-routes.ts";

export class PolicyRetries {
  #made: number;
  #resets: number;
  #errors: Envelope[] | undefined;

  constructor(recorded: Recorded | undefined) {
    this.#resets = recorded?.resetWaits ?? 0;
    this.#made = recorded?.spentRetries[POLICY_ROUTE] ?? 0;
  }

  /** Whether the step runs again, after which wait (it has passed then). Waits for a reset are as many as needed. */
  async again(
    visit: Visit,
    { end, decision }: RoutedEnd,
    attempt: number,
    prepared: PreparedVisit,
    { endedAt, dice, breaker }: AttemptEnd,
  ): Promise<false | RetriedBy> {
    const { guard } = visit.frame.engine;
    if (!guard || end.type !== "raised") return false;
    const { error } = end;
    this.#errors ??= [];
    this.#errors.push(error);
    const isPropagated = decision?.action === "propagate";
    if (decision && decision.action !== "unhandled" && !isPropagated) {
      await guard.routed(visit, decision);
      return false;
    }
    if (visit.signal.aborted) return false;
    const values = prepared.ok ? prepared.values : undefined;
    const seen = { error, errors: this.#errors, attempt, isPropagated, retries: this.#made };
    const again =
      !end.unopted && (await guard.unrouted(visit, { ...seen, resets: this.#resets, breaker, values, endedAt, dice }));
    if (again === "reset") this.#resets += 1;
    if (again === "backoff") this.#made += 1;
    if (again) return again;
    await guard.wentUp(visit);
    return false;
  }
}
