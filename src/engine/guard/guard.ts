// The one place where resilience and policies meet the interpreter: before every attempt of a leaf step, after an error
// that no route took, and when a visit has ended. Loaded only for runs whose files have any of it.

import { mapMaybe, sequence } from "../../base/awaitable.ts";
import type { Envelope } from "../../base/errors/index.ts";
import { resetOf } from "../../base/errors/retry-after.ts";
import { withoutRounds } from "../../base/events/key.ts";
import type { EventData } from "../../base/events/registry.ts";
import type { PastFailure, Recorded } from "../../base/events/visits/recall.ts";
import { POLICY_ROUTE } from "../../base/events/visits/recorded.ts";
import type { Resilience } from "../../language/schema/resilience.ts";
import type { AttemptAdmission, Governance, RetriedBy, UnroutedError, WaitingLetter } from "../contract.ts";
import type { NodeEnd } from "../ends.ts";
import type { Visit, VisitGuard } from "../frame.ts";
import { noteFor } from "../visit/attempt-under-way.ts";
import { fileDigest } from "../visit/hash.ts";
import { resetDelaySeconds, scheduleRetry } from "../visit/route-retries.ts";
import type { Decision } from "../visit/routes.ts";
import { escalate } from "./escalate.ts";
import { GuardedAttempt } from "./guarded-attempt.ts";
import { GuardedRun, type HeldError } from "./guarded-run.ts";
import { letterOf } from "./resilience/dead-letter.ts";
import { ErrorHandler } from "./resilience/error-handler.ts";
import { RetryPolicy } from "./resilience/retry-policy.ts";

/** Whether the node itself was denied, not a step inside it. */
const isDenied = (end: NodeEnd): boolean =>
  end.type === "raised" && end.error.kind === "policy.denied" && end.error.propagated.length === 0;

/** A node of the root's file: its routes are the last that are read. */
const isOutermost = ({ member, frame }: Visit): boolean => !member && !frame.parent;

export class Guard implements VisitGuard {
  readonly #run: GuardedRun;

  constructor(governance: Governance) {
    this.#run = new GuardedRun(governance);
  }

  admission(visit: Visit): AttemptAdmission | undefined {
    const { work, frame } = visit;
    if (work.isContainer && this.#run.policiesFor(frame).length === 0) return undefined;
    return new GuardedAttempt(this.#run, visit);
  }

  spent(step: string, usage: EventData<"agent_usage">): void {
    this.#run.spend.add(step, usage);
  }

  /** Members that a group lost are kept, also when a route took the error that the group failed with. */
  async routed(visit: Visit, { action }: Decision): Promise<void> {
    if (!visit.work.isContainer) return;
    for (const held of this.#run.held.release(visit.key))
      if (action !== "retry" && held.letter && (isOfGroupIn(visit, held.visit) || held.letter === "waiting"))
        await keep(this.#run, held.visit, held.failure);
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

  visitEnded(visit: Visit, end: NodeEnd, decision: Decision | undefined): void | Promise<void> {
    this.#countInPhase(visit, end);
    // The run ends here, and no group has decided about the errors raised beside this one.
    if ((end.type === "halted" || end.type === "limit") && isOutermost(visit)) return this.#carryOut(visit);
    const isHandled = end.type === "raised" && decision?.action === "go";
    if (end.type !== "succeeded" && !isHandled) return;
    const waiting = this.#run.governance.letters.waiting(withoutRounds(visit.key));
    return mapMaybe(waiting, (letter) => (letter ? this.#resolve(letter, visit) : undefined));
  }

  #countInPhase({ frame, work, key, member }: Visit, end: NodeEnd): void {
    const { phase } = work.step ?? {};
    if (phase === undefined || (end.type !== "succeeded" && end.type !== "raised")) return;
    const phases = this.#run.phasesOf(frame);
    // What is reused was let in by an earlier drive, unless that is what it was denied.
    if (end.reused && !isDenied(end)) phases.enter(phase);
    phases.ended(phase, member ? key : work.name, end.type === "succeeded");
  }

  /** First the journal, then the letter: after a kill in between it is still open, and settled by the next drive. */
  #resolve(letter: WaitingLetter, visit: Visit): void | Promise<void> {
    const { frame, work, key } = visit;
    noteFor(visit, "dead_letter_resolved", { node: work.name, kind: letter.kind, letter: letter.id });
    return sequence(
      () => frame.engine.durable.commit(),
      () => this.#run.governance.letters.resolve(withoutRounds(key)),
    );
  }
}

/** Whether the step is to run again, and after which wait; it has passed then. */
async function afterRoutes(run: GuardedRun, visit: Visit, failure: UnroutedError): Promise<false | RetriedBy> {
  const { resilience = NONE } = visit.frame;
  const { error } = failure;
  // Groups are left alone: their members' errors were decided about one by one.
  if (!visit.work.step || isEscalatedOrKept(run, visit, error)) return false;
  if (run.held.isHeld(error) || !run.held.isNewTo(resilience, error)) return false;
  const policy = new RetryPolicy(resilience.retry ?? { max_retries: 0 }, () => failure.dice);
  const verdict = new ErrorHandler(policy).decide(error, {
    attempt: mayRetry(failure) ? failure.retries : policy.settings.max_retries,
    // A call that waits for its breaker may be tried again while that is open.
    breaker: resilience.circuit_breaker?.when_open === "wait" ? undefined : failure.breaker,
  });
  const isReset = mayRetry(failure) && isWaitedFor(error, policy.settings.wait_for_reset);
  if (isReset || verdict === "RETRY") {
    if (visit.work.isContainer) run.held.release(visit.key);
    await waitToRetry(visit, failure, policy, isReset);
    return isReset ? "reset" : "backoff";
  }
  const escalate = verdict === "ESCALATE" ? resilience.escalate : undefined;
  const waiting = await run.governance.letters.waiting(withoutRounds(visit.key));
  const isNew = verdict === "DEAD_LETTER" && resilience.dead_letter;
  const letter = waiting ? "waiting" : isNew ? "new" : undefined;
  if (escalate || letter) run.held.hold({ visit, failure, escalate, letter });
  return false;
}

/** Of a file without the section, which may have had one when it left letters behind. */
const NONE: Resilience = { dead_letter: false };

/** Whether `inner` runs in a group that is `outer`, or that is inside it. */
const isOfGroupIn = (outer: Visit, inner: Visit): boolean =>
  !outer.work.step || groupsAround(inner) > groupsAround(outer);

const groupsAround = ({ frame, member }: Visit): number => frame.places.length + (member ? 1 : 0);

/** Nothing handled the error: carries out its verdict. */
async function escalateOrKeep(
  run: GuardedRun,
  { visit, failure, escalate: to, letter }: HeldError,
  signal: AbortSignal,
): Promise<void> {
  const { error } = failure;
  run.escalatedOrKept.add(error.raised_at);
  if (to) await escalate(run.governance, visit, to, error, signal);
  if (letter) await keep(run, visit, failure);
}

/** An error is retried by policy where it was raised, never again by the step that called that workflow. */
const mayRetry = ({ error, isPropagated }: UnroutedError): boolean => error.propagated.length === 0 && !isPropagated;

const recordedOf = ({ frame, key }: Visit): Recorded | undefined =>
  frame.reuse ? frame.engine.durable.recall.get(key) : undefined;

/** By this drive, or by one that was cut off before the error's group or parent had ended. */
function isEscalatedOrKept(run: GuardedRun, visit: Visit, error: Envelope): boolean {
  const last = recordedOf(visit)?.last;
  if (last?.escalatedOrKept && last.error === error) run.escalatedOrKept.add(error.raised_at);
  return run.escalatedOrKept.has(error.raised_at);
}

/** Those of earlier drives first; an error that waited for its routes to be read is one of them. */
function allErrors(visit: Visit, errors: readonly PastFailure[]): readonly PastFailure[] {
  const past = recordedOf(visit)?.failures ?? [];
  const seen = new Set(errors.map(({ attempts }) => attempts));
  return [...past.filter(({ attempts }) => !seen.has(attempts)), ...errors];
}

/** `wait_for_reset`: only where the error names the moment. A breaker's own time is no limit of a provider. */
function isWaitedFor({ details }: Envelope, most: number | undefined): boolean {
  const reset = most === undefined ? undefined : resetOf(details);
  return reset?.at !== undefined && reset.seconds <= (most ?? 0);
}

function waitToRetry(visit: Visit, failure: UnroutedError, policy: RetryPolicy, isReset: boolean): Promise<void> {
  const { error, retries, resets, endedAt, dice, attempt } = failure;
  const { max_retries, wait_for_reset = 0 } = policy.settings;
  const seconds = isReset
    ? resetDelaySeconds(error.details, endedAt, resets + 1, dice, wait_for_reset)
    : policy.delay(retries, { retryAfter: error.details.retry_after });
  const [nth, max] = isReset ? [resets + 1, undefined] : [retries + 1, max_retries];
  return scheduleRetry(visit, error, {
    attempt,
    nth,
    max,
    endedAt,
    seconds,
    isReset,
    route: POLICY_ROUTE,
    by: "resilience",
  });
}

async function keep(run: GuardedRun, visit: Visit, { error, errors, values }: UnroutedError): Promise<void> {
  const { frame, work, key, member, locals } = visit;
  // Letters are looked for by the workflow that people started.
  const { name } = frame.root;
  const letter = letterOf({
    key,
    workflow: { name, file: frame.workflow.file, digest: fileDigest(frame.workflow) },
    node: work.name,
    type: work.type,
    path: frame.path,
    member,
    item: frame.itemOf(member, locals),
    inputs: values,
    error,
    errors: allErrors(visit, errors),
  });
  // First the failure, so that the drive after a kill finds it, and sees by its time that the letter was kept.
  const recorded = frame.engine.durable.commit();
  if (recorded) await recorded;
  const last = recordedOf(visit)?.last;
  const put = run.governance.letters.put(letter, last?.error === error ? last.failedAt : undefined);
  const id = put instanceof Promise ? await put : put;
  run.escalatedOrKept.add(error.raised_at);
  noteFor(visit, "dead_lettered", { node: work.name, key, kind: letter.kind, letter: id });
  // A group may have lost many: a crash finds each of them recorded, and keeps none twice.
  const committed = frame.engine.durable.commit();
  if (committed) await committed;
}
