// What `resilience:` makes of an error that no route took: try again, tell somebody, or keep it for later.
import type { Envelope } from "../../errors/index.ts";
import type { PastFailure } from "../../events/recall.ts";
import type { EventData } from "../../events/registry.ts";
import type { Frame } from "../frame.ts";
import { inGroup } from "../visit/attempt-events.ts";
import { fileDigest } from "../visit/hash.ts";
import type { Visit } from "../visit/prepare.ts";
import type { Work } from "../visit/work.ts";
import { escalate } from "./escalate.ts";
import type { Guard } from "./guard.ts";
import type { BreakerStatus } from "./resilience/breaker-state.ts";
import { letterOf } from "./resilience/dead-letter.ts";
import { ErrorHandler } from "./resilience/error-handler.ts";
import { RetryPolicy } from "./resilience/retry-policy.ts";

export interface Unrouted {
  readonly error: Envelope;
  /** Of all attempts that this drive saw, this one included. */
  readonly errors: readonly PastFailure[];
  readonly attempt: number;
  /** Retries that the policy made on this visit so far. */
  readonly retries: number;
  readonly breaker: BreakerStatus | undefined;
  /** The step's inputs as rendered, when they could be. */
  readonly values: unknown;
  readonly endedAt: number;
  readonly dice: number;
}

/** The number under which a policy's retries are recorded, where a route has its own. */
const NO_ROUTE = -1;

export async function afterRoutes(
  guard: Guard,
  frame: Frame,
  work: Work,
  at: Visit,
  failure: Unrouted,
): Promise<boolean> {
  const { resilience } = frame.workflow.definition.workflow;
  const { error } = failure;
  // Groups are left alone: their members' errors were decided about one by one.
  if (!resilience || !work.step || isDealtWith(guard, frame, at, error)) return false;
  const policy = new RetryPolicy(resilience.retry ?? { max_retries: 0 }, () => failure.dice);
  const verdict = new ErrorHandler(policy).decide(error, {
    attempt: failure.retries,
    breaker: breakerOf(failure, policy),
  });
  switch (verdict) {
    case "RETRY":
      await waitToRetry(frame, work, at, failure, policy);
      return true;
    case "ESCALATE":
      if (!resilience.escalate) return false;
      guard.dealtWith.add(error.raised_at);
      await escalate(guard.governance, frame, { node: work.name, key: at.key }, resilience.escalate, error, at.signal);
      return false;
    case "DEAD_LETTER":
      if (!resilience.dead_letter) return false;
      guard.dealtWith.add(error.raised_at);
      keep(guard, frame, work, at, failure);
      return false;
  }
}

/** By this drive, or by one that was cut off before the error's group or parent had ended. */
function isDealtWith(guard: Guard, frame: Frame, at: Visit, error: Envelope): boolean {
  const last = frame.reuse ? frame.engine.durable.recall.get(at.key)?.last : undefined;
  if (last?.dealtWith && last.error === error) guard.dealtWith.add(error.raised_at);
  return guard.dealtWith.has(error.raised_at);
}

/** Those of earlier drives first; an error that waited for its routes to be read is one of them. */
function allErrors(frame: Frame, at: Visit, errors: readonly PastFailure[]): readonly PastFailure[] {
  const past = (frame.reuse ? frame.engine.durable.recall.get(at.key)?.failures : undefined) ?? [];
  const seen = new Set(errors.map(({ attempts }) => attempts));
  return [...past.filter(({ attempts }) => !seen.has(attempts)), ...errors];
}

/**
 * A breaker that is half open and full refuses as well. Who lists its retryable kinds without `circuit.open` does not
 * want to wait for it, and nobody wants to be told of each: it counts as open then.
 */
const breakerOf = ({ error, breaker }: Unrouted, policy: RetryPolicy): BreakerStatus | undefined =>
  error.kind === "circuit.open" && !policy.isRetryable(error.kind) ? "open" : breaker;

async function waitToRetry(frame: Frame, work: Work, at: Visit, failure: Unrouted, policy: RetryPolicy): Promise<void> {
  const { durable } = frame.engine;
  const { error, retries, endedAt } = failure;
  const seconds = policy.delay(retries, { retryAfter: error.details.retry_after });
  const until = endedAt + seconds * 1000;
  const scheduled: EventData<"retry_scheduled"> = {
    node: work.name,
    key: at.key,
    kind: error.kind,
    attempt: failure.attempt,
    nth: retries + 1,
    max: policy.settings.max_retries,
    delay_seconds: seconds,
    until: new Date(until).toISOString(),
    route: NO_ROUTE,
    by: "resilience",
  };
  durable.note(frame.path, "retry_scheduled", inGroup(scheduled, at.member));
  await durable.sleepUntil(until, at.signal, seconds * 1000);
}

function keep(guard: Guard, frame: Frame, work: Work, at: Visit, { error, errors, values }: Unrouted): void {
  const { member } = at;
  const letter = letterOf({
    key: at.key,
    workflow: { name: rootOf(frame).name, file: frame.workflow.file, digest: fileDigest(frame.workflow) },
    node: work.name,
    type: work.type,
    path: frame.path,
    ...(member ? { member: { group: member.group, item_key: member.item_key, item: itemOf(frame, at) } } : {}),
    ...(values === undefined ? {} : { inputs: values }),
    error,
    errors: allErrors(frame, at, errors),
  });
  const id = guard.governance.letters.put(letter);
  frame.engine.durable.note(frame.path, "dead_lettered", {
    node: work.name,
    key: at.key,
    kind: error.kind,
    letter: id,
    ...(member?.item_key === undefined ? {} : { item_key: member.item_key }),
  });
}

/** Letters are looked for by the workflow that people started. */
function rootOf(frame: Frame): Frame {
  return frame.parent ? rootOf(frame.parent) : frame;
}

function itemOf(frame: Frame, { member, locals }: Visit): unknown {
  const group = frame.nodes.get(member?.group ?? "");
  return group?.kind === "for_each" ? locals[group.group.as] : undefined;
}
