// One visit of a node: reuse what is recorded, otherwise run attempts until a route leads away from it. Most visits of a
// loop are one attempt that waits for nothing and leads on at once: no promise is made for them.
import { goesOnAfterPause } from "../../base/events/node-types.ts";
import type { Recorded } from "../../base/events/visits/recall.ts";
import { isStop, type NodeEnd, type RaisedEnd } from "../ends.ts";
import type { Visit, VisitGuard } from "../frame.ts";
import { atLimit, isAtIterationLimit } from "../limits/limits.ts";
import { runAttempt } from "./attempt.ts";
import {
  type AttemptEnd,
  AttemptFiles,
  type AttemptUnderWay,
  AttemptUsage,
  changedFiles,
  type RerunReason,
} from "./attempt-under-way.ts";
import { PolicyRetries } from "./policy-retries.ts";
import { type PreparedVisit, prepare } from "./prepare.ts";
import { type RoutedEnd, readRoutes, recordMadeByRoutes, recordRouting, showFailure } from "./read-routes.ts";
import { decideReuse, findInside, type ReuseDecision } from "./reuse.ts";
import { countUsed, RetryBudget, waitForRest, waitForRetry } from "./route-retries.ts";
import type { Decision } from "./routes.ts";
import type { Work } from "./work.ts";

export function runVisit(visit: Visit): VisitEnd | Promise<VisitEnd> {
  const { guard } = visit.frame.engine;
  return guard ? guardedVisit(guard, visit) : attemptUntilAway(visit);
}

async function guardedVisit(guard: VisitGuard, visit: Visit): Promise<VisitEnd> {
  const ended = await attemptUntilAway(visit);
  const informed = guard.visitEnded(visit, ended.end, ended.decision);
  if (informed) await informed;
  return ended;
}

function attemptUntilAway(visit: Visit): VisitEnd | Promise<VisitEnd> {
  const known = visit.frame.engine.durable.recall.get(visit.key);
  const loop = new AttemptLoop(visit, known);
  if (known) return loop.resumed();
  const end = loop.next(prepare(visit), undefined);
  return end instanceof Promise ? loop.until(end) : end;
}

/** The attempts of one visit, one after the other. */
class AttemptLoop {
  /** What earlier drives recorded, and what of that may be reused: nothing with `--force`. */
  readonly #earlier: Recorded | undefined;
  readonly #recorded: Recorded | undefined;
  #budget: RetryBudget;
  #policy: PolicyRetries | undefined;
  #attempt: number;
  /** Also what is not reused has been done: its idempotency keys are used up. */
  #ended: number;

  constructor(
    private readonly visit: Visit,
    known: Recorded | undefined,
  ) {
    const { frame, work } = visit;
    this.#earlier = known;
    const isForgotten = visit.member?.isAnew === true && known?.last?.ok !== true;
    this.#recorded = frame.reuse && !isForgotten ? known : undefined;
    this.#attempt = attemptsSoFar(visit, this.#recorded);
    this.#budget = new RetryBudget(frame, work, this.#recorded);
    this.#policy = frame.engine.guard ? new PolicyRetries(this.#recorded) : undefined;
    this.#ended = known ? known.attempts + known.discarded : 0;
  }

  /** One attempt and where it leads; nothing when the node is to run again. */
  next(prepared: PreparedVisit, rerun: RerunReason | undefined): VisitEnd | Promise<VisitEnd | undefined> {
    const visit = this.visit;
    const { frame, work } = visit;
    this.#attempt += 1;
    this.#ended += 1;
    // Members count for their group: for limits one by one, for templates with it, when it has ended.
    if (work.step) frame.context.execute(1);
    if (work.step && !visit.member) frame.context.iterate(1);
    const attempt: AttemptUnderWay = {
      visit,
      prepared,
      number: this.#attempt,
      ordinal: this.#ended,
      recorded: this.#recorded,
      isRepaired: this.#isRepaired(prepared),
      rerun,
      usage: new AttemptUsage(),
      files: new AttemptFiles(),
      admission: frame.engine.guard?.admission(visit),
    };
    const end = runAttempt(attempt);
    return end instanceof Promise ? end.then((ended) => this.#after(ended, prepared)) : this.#after(end, prepared);
  }

  #isRepaired(prepared: PreparedVisit): boolean {
    const earlier = this.#earlier;
    if (!earlier) return false;
    const before = earlier.last?.definition;
    if (before !== undefined && before !== prepared.definition) return true;
    return changedFiles(this.visit.frame.engine, earlier).length > 0;
  }

  #after(ended: AttemptEnd, prepared: PreparedVisit): VisitEnd | Promise<VisitEnd | undefined> {
    const { frame, work } = this.visit;
    if (!work.step) frame.context.iterate(1);
    return this.#follow(ended, prepared);
  }

  /** Attempts until one leads away. */
  async until(first: VisitEnd | Promise<VisitEnd | undefined>): Promise<VisitEnd> {
    for (let end = await first; ; ) {
      if (end) return end;
      const prepared = prepare(this.visit);
      end = (await this.#limit()) ?? (await this.next(prepared, undefined));
    }
  }

  /** The visit's first attempt in this drive, when an earlier one has been here. */
  async resumed(): Promise<VisitEnd> {
    const visit = this.visit;
    const recorded = this.#recorded;
    const executed = executionsBefore(visit.work, recorded);
    const forget = visit.frame.context.keep(visit.work.name);
    this.#count(executed.before);
    // Templates see of a step that runs again how it failed before, and the history has it once for each attempt.
    if (executed.before > 0 && !visit.member) showFailure(visit, recorded?.earlier, executed.before);
    const prepared = prepare(visit);
    const inside = findInside(visit, recorded, prepared);
    this.#uncount(recorded?.resetWaits ?? 0);
    // What is recorded was counted after it was prepared: `context.iteration` may be part of its hash.
    this.#count(executed.last);
    const decision = decideReuse(visit, recorded, prepared, inside, this.#budget);
    const isAnother = decision.reuse === "nothing" && decision.as === "another";
    if (goesOnWaiting(decision) && recorded?.retry && !visit.frame.engine.skipsWaits) {
      await waitForRest(visit, recorded.retry);
      if (visit.signal.aborted) return this.#cancelled();
    }
    switch (decision.reuse) {
      case "end":
        this.#countMembers();
        return visitEnd(decision.routed);
      case "error": {
        visit.work.roundEnded?.();
        // What becomes of the error is decided again, and counted then.
        if (recorded?.answeredWith?.isReset) this.#uncount(-1);
        const led = await this.#follow(await this.#recordAgain(decision.end), prepared);
        if (led) this.#countMembers();
        return led ?? this.until(Promise.resolve(undefined));
      }
      case "nothing": {
        if (isAnother) {
          forget();
          this.#beginAnew(executed, recorded?.resetWaits ?? 0);
        } else if (decision.as === "entered") this.#enterAgain(executed.last);
        else if (executed.last > 0 && !visit.member) showFailure(visit, recorded?.last, 1);
        const counted = isAnother ? executed.before : decision.as === "entered" ? 0 : executed.last;
        const preparedNow = counted > 0 ? prepare(visit) : prepared;
        return (await this.#limit()) ?? this.until(this.next(preparedNow, decision.because));
      }
    }
  }

  /** What earlier drives did. */
  #count(times: number): void {
    const { frame, work, member } = this.visit;
    // Groups count by their members there.
    if (work.step) frame.context.execute(times);
    if (!member) frame.context.iterate(times);
  }

  /** Of a group that is not entered again, since its failure is reused. */
  #countMembers(): void {
    const { frame, work, key } = this.visit;
    if (!work.step) countUsed(frame, frame.engine.durable.recall.usedInside(key));
  }

  /** What another step did on this visit, before the edit, does not count: all is as in a run that never had it. */
  #beginAnew({ before, last }: { readonly before: number; readonly last: number }, resetWaits: number): void {
    const { frame, work, attemptsBefore } = this.visit;
    this.#count(-before - last);
    this.#uncount(-resetWaits);
    this.#attempt = attemptsBefore;
    this.#budget = new RetryBudget(frame, work, undefined);
    if (this.#policy) this.#policy = new PolicyRetries(undefined);
    work.beginsAnew?.();
  }

  #enterAgain(last: number): void {
    const { frame, work } = this.visit;
    this.#count(-last);
    this.#attempt -= last;
    // Nothing of it has failed: what was edited has retries of its own.
    if (this.#recorded?.last?.ok) this.#budget = new RetryBudget(frame, work, undefined);
  }

  /** Attempts that a provider's limit refused, and that ran again after its reset. */
  #uncount(times: number): void {
    const { frame, work } = this.visit;
    if (work.step) frame.context.execute(-times);
  }

  /** Into this drive's account too, since it is here that its routes are read. */
  async #recordAgain(end: RaisedEnd): Promise<AttemptEnd> {
    const { frame, work, key } = this.visit;
    const { durable } = frame.engine;
    durable.note(frame.path, "error_raised", { node: work.name, key, error: end.error });
    const { endedAt, dice } = await durable.timed(async () => undefined);
    return { end, endedAt, dice, breaker: durable.recall.get(key)?.last?.breaker };
  }

  /** The first attempt was checked before the visit started. */
  async #limit(): Promise<VisitEnd | undefined> {
    const { frame, work } = this.visit;
    if (this.#attempt === 0 || this.#ended === 0 || !isAtIterationLimit(frame)) return undefined;
    const end = await atLimit(frame, "max_iterations", work.name);
    return end && { end };
  }

  #follow(ended: AttemptEnd, prepared: PreparedVisit): VisitEnd | Promise<VisitEnd | undefined> {
    const { end } = ended;
    if (isStop(end) || end.type === "terminated") return { end };
    const routed = readRoutes(this.visit, end, this.#budget);
    recordMadeByRoutes(this.visit, routed);
    return routed.end.type === "raised" ? this.#handle(routed, routed.end, ended, prepared) : visitEnd(routed);
  }

  /** What becomes of an error; nothing when the node is to run again, after a wait that has passed then. */
  async #handle(
    routed: RoutedEnd,
    { error }: RaisedEnd,
    ended: AttemptEnd,
    prepared: PreparedVisit,
  ): Promise<VisitEnd | undefined> {
    const visit = this.visit;
    const again = await this.#policy?.again(visit, routed, this.#attempt, prepared, ended);
    if (again === "reset") this.#uncount(1);
    if (again) return visit.signal.aborted ? this.#cancelled() : undefined;
    recordRouting(visit, routed);
    const { decision } = routed;
    if (decision?.action !== "retry") return visitEnd(routed);
    await waitForRetry(visit, this.#budget, decision, error, this.#attempt, ended);
    if (decision.retry.until) this.#uncount(1);
    if (visit.signal.aborted) return this.#cancelled();
    return decision.via ? visitEnd(routed) : undefined;
  }

  #cancelled(): VisitEnd {
    return { end: { type: "cancelled", node: this.visit.work.name } };
  }
}

/** How a visit ended, and where it leads. */
interface VisitEnd {
  readonly end: NodeEnd;
  /** Where to go; absent when the end itself says it all, and for members that succeeded. */
  readonly decision?: Decision;
}

/** Whether the retry that an earlier drive waited for is still to come. */
const goesOnWaiting = (decision: ReuseDecision): boolean =>
  decision.reuse === "nothing"
    ? decision.as !== "another"
    : decision.reuse === "end" && decision.routed.decision?.action === "retry";

const visitEnd = ({ end, decision }: RoutedEnd): VisitEnd => (decision ? { end, decision } : { end });

/** Entering a container that had ended is no new attempt at it. */
const isEnteredAgain = (work: Work, recorded: Recorded): boolean => work.isContainer && recorded.last?.ok === true;

/**
 * An attempt that a crash cut off counts: the one that runs again says so by its number. A gate that is asked again, and
 * what it stands in, only go on. The attempts of visits before this one, in earlier rounds of a group, count too; numbers
 * go on from them, so the number of a start has them in it.
 */
function attemptsSoFar({ work, attemptsBefore }: Visit, recorded: Recorded | undefined): number {
  if (!recorded) return attemptsBefore;
  if (isEnteredAgain(work, recorded)) return attemptsBefore + Math.max(0, recorded.attempts - 1);
  const ended = attemptsBefore + recorded.attempts;
  // One that only waited for its breaker was not tried.
  const started = recorded.started - (recorded.held?.isAll ? 1 : 0);
  return goesOnAfterPause(work.type) ? ended : Math.max(ended, started);
}

/** For the limits: before the attempt that is recorded, and that one. What failed the run does not count any more. */
function executionsBefore(
  work: Work,
  recorded: Recorded | undefined,
): { readonly before: number; readonly last: number } {
  // What is entered again is counted then.
  if (!recorded || recorded.attempts === 0) return { before: 0, last: 0 };
  return { before: recorded.attempts - 1, last: isEnteredAgain(work, recorded) ? 0 : 1 };
}
