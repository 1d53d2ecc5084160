// The wait before a retry that a route asked for: scheduled, or what is left of one that a crash cut off. How long it is
// says route-retry-delay.ts.
import type { Envelope } from "../../errors/index.ts";
import type { EventData } from "../../events/registry.ts";
import type { RecordedRetry } from "../../events/visits/recall.ts";
import type { Visit } from "../frame.ts";
import { inGroup } from "./attempt-events.ts";
import type { AttemptEnd } from "./attempt-under-way.ts";
import { type RetryBudget, routeNumber } from "./retry-budget.ts";
import { resetDelaySeconds, routeRetryDelaySeconds } from "./route-retry-delay.ts";
import { type Decision, LONGEST_RESET_SECONDS } from "./routes.ts";

export async function waitForRetry(
  { frame, work, key, member, signal }: Visit,
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
  const until = endedAt + seconds * 1000;
  const scheduled: EventData<"retry_scheduled"> = {
    node: work.name,
    key,
    kind: error.kind,
    attempt,
    nth,
    ...(retry.max === undefined ? {} : { max: retry.max }),
    delay_seconds: seconds,
    until: new Date(until).toISOString(),
    ...(isReset ? untilReset(error) : {}),
    route: routeNumber(route),
    ...(via ? { via } : {}),
  };
  const { durable } = frame.engine;
  durable.note(frame.path, "retry_scheduled", inGroup(scheduled, member));
  await durable.sleepUntil(until, signal, seconds * 1000, isReset);
}

/** What the record of a wait for a reset says beside what every retry does. */
export const untilReset = ({
  details: { limit },
}: Envelope): Pick<EventData<"retry_scheduled">, "until_reset" | "limit"> => ({
  until_reset: true,
  ...(typeof limit === "string" ? { limit } : {}),
});

/** What is left of a wait that an earlier drive did not get to the end of. */
export async function waitForRest(
  { frame, work, key, member, signal }: Visit,
  { until, delay, attempt, nth, max, isReset }: RecordedRetry,
): Promise<void> {
  const { durable, clock } = frame.engine;
  const left = Math.min(until - clock.now(), delay);
  if (left > 0) {
    const awaited: EventData<"retry_awaited"> = {
      node: work.name,
      key,
      attempt,
      nth,
      max,
      remaining_seconds: left / 1000,
      until: new Date(until).toISOString(),
      ...(isReset ? { until_reset: true } : {}),
    };
    durable.note(frame.path, "retry_awaited", inGroup(awaited, member));
  }
  await durable.sleepUntil(until, signal, delay, isReset);
}
