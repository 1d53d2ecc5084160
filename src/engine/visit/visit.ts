// One visit of a node: reuse what is recorded, otherwise run attempts until a route leads away from it. Most visits of a
// loop are one attempt that waits for nothing and leads on at once: no promise is made for them.
import type { Recorded } from "../../events/recall.ts";
import type { EventData } from "../../events/registry.ts";
import { isStop, type RaisedEnd } from "../ends.ts";
import type { Frame } from "../frame.ts";
import type { Guard } from "../guard/guard.ts";
import { PolicyRetries } from "../guard/policy-retries.ts";
import { atIterationLimit, isAtIterationLimit } from "../limits/limits.ts";
import { runAttempt, type Tried } from "./attempt.ts";
import { type Again, inGroup } from "./attempt-events.ts";
import { type Prepared, prepare, type Visit } from "./prepare.ts";
import { type Read, readRoutes, report } from "./read-routes.ts";
import { changeOf, recalled, toldAgain, waitOn } from "./recalled.ts";
import { attemptsBefore, executionsBefore, isSame, leftOpen } from "./remembered.ts";
import { Budget, routeNumber } from "./retry-budget.ts";
import { retryDelaySeconds } from "./route-retry-delay.ts";
import type { Decision } from "./routes.ts";
import { endOf, type VisitEnd } from "./visit-end.ts";
import type { Work } from "./work.ts";

export function visit(frame: Frame, work: Work, at: Visit): VisitEnd | Promise<VisitEnd> {
  const { guard } = frame.engine;
  return guard ? guardedVisit(guard, frame, work, at) : attempts(frame, work, at);
}

async function guardedVisit(guard: Guard, frame: Frame, work: Work, at: Visit): Promise<VisitEnd> {
  const ended = await attempts(frame, work, at);
  guard.left(frame, work, at, ended.end);
  return ended;
}

function attempts(frame: Frame, work: Work, at: Visit): VisitEnd | Promise<VisitEnd> {
  const known = frame.engine.durable.recall.get(at.key);
  const all = new Attempts(frame, work, at, known);
  if (known) return all.resumed();
  const end = all.next(prepare(frame, work, at));
  return end instanceof Promise ? all.until(end) : end;
}

class Attempts {
  readonly #frame: Frame;
  readonly #work: Work;
  readonly #at: Visit;
  readonly #memory: Recorded | undefined;
  readonly #budget: Budget;
  readonly #policy: PolicyRetries | undefined;
  #attempt: number;
  /** Also what is not reused has been done: its idempotency keys are used up. */
  #ended: number;

  constructor(frame: Frame, work: Work, at: Visit, known: Recorded | undefined) {
    this.#frame = frame;
    this.#work = work;
    this.#at = at;
    this.#memory = frame.reuse ? known : undefined;
    this.#budget = new Budget(frame, work.name, this.#memory);
    this.#policy = frame.engine.guard ? new PolicyRetries(this.#memory) : undefined;
    this.#attempt = attemptsBefore(work, this.#memory, at.attemptsBefore ?? 0);
    this.#ended = known ? known.attempts + known.discarded : 0;
  }

  /** One attempt and where it leads; nothing when the node is to run again. */
  next(prepared: Prepared, again?: Again): VisitEnd | Promise<VisitEnd | undefined> {
    this.#attempt += 1;
    this.#ended += 1;
    // Members count for their group.
    if (this.#work.step) this.#frame.context.count(1);
    const numbers = { attempt: this.#attempt, ordinal: this.#ended, memory: this.#memory };
    const tried = runAttempt(this.#frame, this.#work, this.#at, prepared, numbers, again);
    return tried instanceof Promise
      ? tried.then((ended) => this.#follow(ended, prepared))
      : this.#follow(tried, prepared);
  }

  /** Attempts until one leads away. */
  async until(first: VisitEnd | Promise<VisitEnd | undefined>): Promise<VisitEnd> {
    for (let end = await first; ; ) {
      if (end) return end;
      const prepared = prepare(this.#frame, this.#work, this.#at);
      end = (await this.#limit()) ?? (await this.next(prepared));
    }
  }

  /** The visit's first attempt in this drive, when an earlier one has been here. */
  async resumed(): Promise<VisitEnd> {
    const frame = this.#frame;
    const work = this.#work;
    const at = this.#at;
    const memory = this.#memory;
    const counted = executionsBefore(work, memory);
    frame.context.count(counted.before);
    const recorded = prepare(frame, work, at);
    // What is recorded was counted after it was prepared: `context.iteration` may be part of its hash.
    frame.context.count(counted.last);
    let again: Again | undefined;
    if (memory?.last && isSame(memory.last, recorded)) {
      const stands = recalled(frame, work, at, memory, recorded, this.#budget);
      const { retry } = memory;
      if (retry) await waitOn(frame, work, at, retry);
      if (retry && at.signal.aborted) return this.#cancelled();
      if (stands) return stands;
      const left = leftOpen(work, at, memory, recorded);
      if (left) return this.until(this.#follow(await toldAgain(frame, work, at, left), recorded));
    } else if (memory?.last?.ok && !work.isContainer) again = changeOf(frame, work, memory.last, recorded);
    const prepared = counted.last > 0 ? prepare(frame, work, at) : recorded;
    return (await this.#limit()) ?? this.until(this.next(prepared, again));
  }

  /** The first attempt was checked by whoever started the visit. */
  async #limit(): Promise<VisitEnd | undefined> {
    if (this.#attempt === 0 || this.#ended === 0 || !isAtIterationLimit(this.#frame)) return undefined;
    const end = await atIterationLimit(this.#frame, this.#work.name);
    return end && { end };
  }

  #follow(tried: Tried, prepared: Prepared): VisitEnd | Promise<VisitEnd | undefined> {
    const { end } = tried;
    if (isStop(end) || end.type === "terminated") return { end };
    const read = readRoutes(this.#frame, this.#work, this.#at, end, this.#budget);
    return read.end.type === "raised" ? this.#handle(read, read.end, tried, prepared) : endOf(read);
  }

  /** What becomes of an error; nothing when the node is to run again, after a wait that has passed then. */
  async #handle(read: Read, end: RaisedEnd, tried: Tried, prepared: Prepared): Promise<VisitEnd | undefined> {
    const frame = this.#frame;
    const work = this.#work;
    const at = this.#at;
    if (await this.#policy?.again(frame, work, at, read, this.#attempt, prepared, tried))
      return at.signal.aborted ? this.#cancelled() : undefined;
    report(frame, work, at, read);
    const { decision } = read;
    if (decision?.action !== "retry") return endOf(read);
    await this.#wait(decision, end, tried);
    if (at.signal.aborted) return this.#cancelled();
    return decision.via ? endOf(read) : undefined;
  }

  async #wait(decision: Decision & { action: "retry" }, { error }: RaisedEnd, tried: Tried): Promise<void> {
    const { retry, route, via } = decision;
    const at = this.#at;
    const nth = this.#budget.spend(decision);
    const seconds = retryDelaySeconds(retry, nth, tried.dice, error.details.retry_after);
    const until = tried.endedAt + seconds * 1000;
    const scheduled: EventData<"retry_scheduled"> = {
      node: this.#work.name,
      key: at.key,
      kind: error.kind,
      attempt: this.#attempt,
      nth,
      max: retry.max,
      delay_seconds: seconds,
      until: new Date(until).toISOString(),
      route: routeNumber(route),
      ...(via ? { via } : {}),
    };
    const { durable } = this.#frame.engine;
    durable.note(this.#frame.path, "retry_scheduled", inGroup(scheduled, at.member));
    await durable.sleepUntil(until, at.signal, seconds * 1000);
  }

  #cancelled(): VisitEnd {
    return { end: { type: "cancelled", node: this.#work.name } };
  }
}
