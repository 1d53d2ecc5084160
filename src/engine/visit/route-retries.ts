// Retries that a route asks for: how often each may still be used, its delay, and the wait itself. The delays of
// `resilience.retry`, for errors that no route took, are in guard/resilience/retry-policy.ts.
import { type Details, type Envelope, matches, type Selector } from "../../base/errors/index.ts";
import { jittered } from "../../base/errors/jitter.ts";
import { resetOf } from "../../base/errors/retry-after.ts";
import type { EventData } from "../../base/events/registry.ts";
import type { Recorded, RecordedRetry, UsedByMember } from "../../base/events/visits/recall.ts";
import { POLICY_ROUTE } from "../../base/events/visits/recorded.ts";
import type { RetryAction, Route } from "../../language/schema/index.ts";
import type { Visit, WorkflowFrame } from "../frame.ts";
import { routeNumber, viaBudget } from "../via-budgets.ts";
import { type AttemptEnd, noteFor } from "./attempt-under-way.ts";
import { type Decision, LONGEST_RESET_SECONDS, type RetriesUsed, type RouteRef } from "./routes.ts";
import type { Work } from "./work.ts";

export function waitForRetry(
  visit: Visit,
  budget: RetryBudget,
  decision: Decision & { readonly action: "retry" },
  error: Envelope,
  attempt: number,
  { endedAt, dice }: AttemptEnd,
): Promise<void> {
  const { retry, route, via } = decision;
  const nth = budget.spend(decision);
  const { details } = error;
  const isReset = retry.until === "reset";
  const seconds = isReset
    ? resetDelaySeconds(details, endedAt, nth, dice, retry.max_wait ?? LONGEST_RESET_SECONDS)
    : routeRetryDelaySeconds(retry, nth, dice, details.retry_after);
  const number = routeNumber(route);
  return scheduleRetry(visit, error, { attempt, nth, max: retry.max, endedAt, seconds, isReset, route: number, via });
}

type Scheduled = Pick<EventData<"retry_scheduled">, "attempt" | "nth" | "max" | "route" | "via" | "by"> & {
  readonly endedAt: number;
  readonly seconds: number;
  readonly isReset: boolean;
};

/** Records that a step will run again, and waits until then. */
export async function scheduleRetry(
  visit: Visit,
  { kind, details: { limit } }: Envelope,
  { attempt, nth, max, endedAt, seconds, isReset, route, via, by }: Scheduled,
): Promise<void> {
  const { frame, work, key, signal } = visit;
  const until = endedAt + seconds * 1000;
  noteFor(visit, "retry_scheduled", {
    node: work.name,
    key,
    kind,
    attempt,
    nth,
    max,
    delay_seconds: seconds,
    until: new Date(until).toISOString(),
    ...(isReset ? { until_reset: true, limit: typeof limit === "string" ? limit : undefined } : {}),
    route,
    via: via || undefined,
    by,
  });
  await frame.engine.durable.sleepUntil(until, signal, { atMostMs: seconds * 1000, besideLimits: isReset });
}

/** What is left of a wait that an earlier drive did not get to the end of. */
export async function waitForRest(
  visit: Visit,
  { until, delay, attempt, nth, max, isReset }: RecordedRetry,
): Promise<void> {
  const { frame, work, key, signal } = visit;
  const { durable, clock } = frame.engine;
  const left = Math.min(until - clock.now(), delay);
  if (left > 0)
    noteFor(visit, "retry_awaited", {
      node: work.name,
      key,
      attempt,
      nth,
      max,
      remaining_seconds: left / 1000,
      until: new Date(until).toISOString(),
      until_reset: isReset ? true : undefined,
    });
  await durable.sleepUntil(until, signal, { atMostMs: delay, besideLimits: isReset });
}

/** Before retry number `nth` (1 is the first), and never more than `max_seconds`. */
export function routeRetryDelaySeconds(retry: RetryAction, nth: number, dice: number, retryAfter?: unknown): number {
  const { backoff, initial_seconds: first, max_seconds: most, jitter } = retry;
  const grown = backoff === "exponential" ? first * 2 ** (nth - 1) : backoff === "linear" ? first * nth : first;
  const asked = typeof retryAfter === "number" && Number.isFinite(retryAfter) ? retryAfter : 0;
  const capped = Math.min(Math.max(grown, asked), most);
  return Math.max(Math.min(asked, most), jittered(capped, jitter, dice, most));
}

/** Of a wait: runs that wait for one reset do not all come back in the same second. */
const RESET_JITTER = 0.01;
const MOST_JITTER_SECONDS = 30;
const LONGEST_PAUSE_SECONDS = 60;

/** In seconds from `endedAt`, at most `most`. A reset that is past and still holds (clocks differ): pauses that grow. */
export function resetDelaySeconds(details: Details, endedAt: number, nth: number, dice: number, most: number): number {
  const reset = resetOf(details);
  const seconds = reset?.at === undefined ? (reset?.seconds ?? 0) : (reset.at - endedAt) / 1000;
  const wait = Math.max(seconds, Math.min(2 ** (nth - 1), LONGEST_PAUSE_SECONDS));
  return Math.min(wait, most) + dice * Math.min(wait * RESET_JITTER, MOST_JITTER_SECONDS);
}

export class RetryBudget implements RetriesUsed {
  /** Made when there is something to count: most visits retry nothing. */
  #visit: Map<number, number> | undefined;

  constructor(
    readonly frame: WorkflowFrame,
    readonly work: Pick<Work, "name" | "routes">,
    recorded: Recorded | undefined,
  ) {
    if (!recorded) return;
    for (const [text, times] of Object.entries(recorded.spentRetries)) {
      // Those of a policy are counted there.
      if (Number(text) !== POLICY_ROUTE) this.#countRecorded(recorded, Number(text), times);
    }
  }

  #countRecorded({ retriedKinds }: Recorded, recordedAs: number, times: number): void {
    const route = this.#placeOf(recordedAs, retriedKinds?.[recordedAs]);
    this.#count(route, times + (this.#visit?.get(route) ?? 0));
  }

  /** What the last failure was answered with is decided again. */
  giveBack(recorded: Recorded): void {
    const { answeredWith } = recorded;
    if (answeredWith?.by === "route" && answeredWith.via === undefined)
      this.#countRecorded(recorded, answeredWith.route, -1);
  }

  /** Where a retry route stands now: where it stood, or else the first that would have taken the error. */
  #placeOf(number: number, kind: string | undefined): number {
    const { work, frame } = this;
    const takes = ({ on_error, retry, to }: Route): boolean =>
      retry !== undefined && to === undefined && kind !== undefined && matches(on_error as Selector, kind);
    const tables = { step: work.routes, workflow: frame.defaults } as const;
    const places = (["step", "workflow"] as const).flatMap((table) =>
      tables[table].flatMap((route, index) => (takes(route) ? [routeNumber({ index, table })] : [])),
    );
    return places.includes(number) ? number : (places[0] ?? number);
  }

  used(route: RouteRef, via: boolean): number {
    const number = routeNumber(route);
    return (via ? this.frame.via.get(viaBudget(this.work.name, number)) : this.#visit?.get(number)) ?? 0;
  }

  #count(route: number, times: number): void {
    this.#visit ??= new Map();
    this.#visit.set(route, times);
  }

  /** Uses one retry, and says which one it is. */
  spend(decision: Decision & { action: "retry" }): number {
    const number = routeNumber(decision.route);
    const nth = this.used(decision.route, decision.via !== undefined) + 1;
    if (decision.via !== undefined) this.frame.via.set(viaBudget(this.work.name, number), nth);
    else this.#count(number, nth);
    return nth;
  }
}

/** Of members whose visits this drive does not come to again. */
export function countUsed({ context, via: budgets }: WorkflowFrame, members: readonly UsedByMember[]): void {
  for (const { node, executions, via } of members) {
    context.execute(executions);
    for (const route of via) {
      const budget = viaBudget(node, route);
      budgets.set(budget, (budgets.get(budget) ?? 0) + 1);
    }
  }
}
