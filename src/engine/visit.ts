// One visit of a node: reuse what is recorded, otherwise run attempts until a route leads away from it.
import type { Envelope } from "../errors/index.ts";
import type { LastOutcome, Recorded, RecordedRetry } from "../events/recall.ts";
import type { EventData } from "../events/registry.ts";
import { runAttempt, type Tried } from "./attempt.ts";
import { type Again, inGroup } from "./attempt-events.ts";
import { retryDelaySeconds } from "./backoff.ts";
import { Budget, routeNumber } from "./budget.ts";
import { isStop, type NodeEnd, type RaisedEnd, type Succeeded } from "./ends.ts";
import type { Frame } from "./frame.ts";
import type { Guard } from "./guard.ts";
import { atIterationLimit, isAtIterationLimit } from "./limits.ts";
import { type Prepared, prepare, type Visit } from "./prepare.ts";
import { type Read, readRoutes, report } from "./read-routes.ts";
import { attemptsBefore, executionsBefore, isSame, leftOpen } from "./remembered.ts";
import type { Decision } from "./routes.ts";
import type { Work } from "./work.ts";

export interface VisitEnd {
  readonly end: NodeEnd;
  /** Where to go; absent when the end itself says it all, and for members that succeeded. */
  readonly decision?: Decision;
}

export function visit(frame: Frame, work: Work, at: Visit): Promise<VisitEnd> {
  const { guard } = frame.engine;
  return guard ? guardedVisit(guard, frame, work, at) : attempts(frame, work, at);
}

async function guardedVisit(guard: Guard, frame: Frame, work: Work, at: Visit): Promise<VisitEnd> {
  const ended = await attempts(frame, work, at);
  guard.left(frame, work, at, ended.end);
  return ended;
}

async function attempts(frame: Frame, work: Work, at: Visit): Promise<VisitEnd> {
  const { durable } = frame.engine;
  const known = durable.recall.get(at.key);
  const memory = frame.reuse ? known : undefined;
  const budget = new Budget(frame, work.name, memory);
  let attempt = attemptsBefore(work, memory, at.attemptsBefore ?? 0);
  // Also what is not reused has been done: its idempotency keys are used up.
  let ended = (known?.attempts ?? 0) + (known?.discarded ?? 0);
  const counted = executionsBefore(work, memory);
  frame.context.count(counted.before);
  let first = true;
  const policy = new PolicyRetries(memory);

  for (;;) {
    let prepared = prepare(frame, work, at);
    let left: RaisedEnd | undefined;
    let again: Again | undefined;
    // What is recorded was counted after it was prepared: `context.iteration` may be part of its hash.
    if (first) frame.context.count(counted.last);
    if (first && memory?.last && isSame(memory.last, prepared)) {
      const recorded = recalled(frame, work, at, memory, prepared, budget);
      const { retry } = memory;
      if (retry) await waitOn(frame, work, at, retry);
      if (retry && at.signal.aborted) return { end: { type: "cancelled", node: work.name } };
      if (recorded) return recorded;
      left = leftOpen(work, at, memory, prepared);
    } else if (first && memory?.last?.ok && !work.isContainer) again = changeOf(frame, work, memory.last, prepared);
    if (first && !left && counted.last > 0) prepared = prepare(frame, work, at);
    first = false;
    if (!left) attempt += 1;
    // The first attempt was checked by whoever started the visit.
    const isLimited = !left && attempt > 1 && ended > 0 && isAtIterationLimit(frame);
    const limit = isLimited ? await atIterationLimit(frame, work.name) : undefined;
    if (limit) return { end: limit };
    // Members count for their group.
    if (work.step && !left) frame.context.count(1);

    const tried = left
      ? await toldAgain(frame, work, at, left)
      : await runAttempt(frame, work, at, prepared, { attempt, ordinal: ended + 1, memory }, again);
    if (!left) ended += 1;
    const { end } = tried;
    if (isStop(end) || end.type === "terminated") return { end };

    const read = readRoutes(frame, work, at, end, budget);
    const { decision } = read;
    if (read.end.type === "raised" && (await policy.again(frame, work, at, read, attempt, prepared, tried))) {
      if (at.signal.aborted) return { end: { type: "cancelled", node: work.name } };
      continue;
    }
    report(frame, work, at, read);
    if (decision?.action === "retry") {
      const seconds = budget.spend(decision, (nth) =>
        retryDelaySeconds(
          decision.retry,
          nth,
          tried.dice,
          read.end.type === "raised" ? read.end.error.details.retry_after : undefined,
        ),
      );
      const until = tried.endedAt + seconds * 1000;
      const scheduled: EventData<"retry_scheduled"> = {
        node: work.name,
        key: at.key,
        kind: read.end.type === "raised" ? read.end.error.kind : "",
        attempt,
        max: decision.retry.max,
        delay_seconds: seconds,
        until: new Date(until).toISOString(),
        route: routeNumber(decision.route),
        ...(decision.via ? { via: decision.via } : {}),
      };
      durable.note(frame.path, "retry_scheduled", inGroup(scheduled, at.member));
      await durable.sleepUntil(until, at.signal, seconds * 1000);
      if (at.signal.aborted) return { end: { type: "cancelled", node: work.name } };
      if (!decision.via) continue;
    }
    return endOf(read);
  }
}

const endOf = ({ end, decision }: Read): VisitEnd => (decision ? { end, decision } : { end });

/** The retries of this visit that no route asked for: the file's `resilience` did. */
class PolicyRetries {
  #made: number;
  #errors: Envelope[] | undefined;

  constructor(memory: Recorded | undefined) {
    this.#made = memory?.spentRetries[BY_POLICY] ?? 0;
  }

  /** Whether the step is to run again; the wait has passed then. Asked only when no route took the error. */
  async again(
    frame: Frame,
    work: Work,
    at: Visit,
    { end, decision }: Read,
    attempt: number,
    prepared: Prepared,
    { endedAt, dice, breaker }: Tried,
  ): Promise<boolean> {
    const { guard } = frame.engine;
    if (!guard || end.type !== "raised") return false;
    const { error } = end;
    this.#errors ??= [];
    this.#errors.push(error);
    if (end.unopted || decision?.action !== "unhandled" || at.signal.aborted) return false;
    const values = prepared.ok ? prepared.values : undefined;
    const failure = { error, errors: this.#errors, attempt, retries: this.#made, breaker, values, endedAt, dice };
    const again = await guard.unrouted(frame, work, at, failure);
    if (again) this.#made += 1;
    return again;
  }
}

/** Where a journal counts them (see `spentRetries`). */
const BY_POLICY = -1;

/** What is left of a wait that the earlier drive did not get to the end of. */
async function waitOn(
  frame: Frame,
  work: Work,
  at: Visit,
  { until, delay, attempt, max }: RecordedRetry,
): Promise<void> {
  const { durable, clock } = frame.engine;
  const left = Math.min(until - clock.now(), delay);
  if (left > 0) {
    const awaited: EventData<"retry_awaited"> = {
      node: work.name,
      key: at.key,
      attempt,
      max,
      remaining_seconds: left / 1000,
      until: new Date(until).toISOString(),
    };
    durable.note(frame.path, "retry_awaited", inGroup(awaited, at.member));
  }
  await durable.sleepUntil(until, at.signal, delay);
}

/** Why a step that had ended well runs again. Its digest holds the environment it names: which of both it was is not known. */
function changeOf(frame: Frame, work: Work, last: LastOutcome, prepared: Prepared): Again | undefined {
  if (last.definition === undefined) return undefined;
  if (last.definition === prepared.definition) return "inputs changed";
  return frame.definitions.namesEnvironment(work.name) ? "definition or environment changed" : "definition changed";
}

/** Into this drive's account too, since it is here that its routes are read. */
async function toldAgain(frame: Frame, work: Work, at: Visit, end: RaisedEnd): Promise<Tried> {
  const { durable } = frame.engine;
  durable.note(frame.path, "error_raised", { node: work.name, key: at.key, error: end.error });
  const { endedAt, dice } = await durable.timed(async () => undefined);
  return { end, endedAt, dice };
}

/** The recorded end of this visit, when it may stand for a new one. Routes are always read again. */
function recalled(
  frame: Frame,
  work: Work,
  at: Visit,
  memory: Recorded,
  prepared: Prepared,
  budget: Budget,
): VisitEnd | undefined {
  const { last } = memory;
  if (!last) return undefined;
  if (last.ok) {
    // A container is entered again: what is inside is reused piece by piece, and its routes are read again too.
    if (work.isContainer || !prepared.ok) return undefined;
    const to = at.member ? undefined : work.leadsTo?.(prepared.values, last.output);
    const end: Succeeded = {
      type: "succeeded",
      output: last.output,
      reused: true,
      ...(to === undefined ? {} : { to }),
    };
    return finishReuse(frame, work, at, end, prepared, budget, memory.attempts > 0);
  }
  if (!last.error || (work.isContainer && !(prepared.ok && work.unchanged?.(prepared.values, at)))) return undefined;
  const handled =
    last.routed === "to" || last.routed === "retry" || (at.member !== undefined && last.routed === "group");
  if (!handled) return undefined;
  const end: RaisedEnd = { type: "raised", error: last.error, output: last.output, reused: true };
  return finishReuse(frame, work, at, end, prepared, budget, last.routed === "group");
}

function finishReuse(
  frame: Frame,
  work: Work,
  at: Visit,
  end: Succeeded | RaisedEnd,
  prepared: Prepared,
  budget: Budget,
  /** Nobody needs to take care of it any more: a member whose group went on without it, a step that is not to run again. */
  stands: boolean,
): VisitEnd | undefined {
  const read = readRoutes(frame, work, at, end, budget);
  const { decision } = read;
  if (end.type === "raised") {
    const leadsOn = decision?.action === "go" || (decision?.action === "retry" && decision.via !== undefined);
    if (!leadsOn && !stands) return undefined;
    if (decision?.action === "retry") budget.spend(decision, () => 0);
  } else if (read.end.type === "raised" && decision?.action === "unhandled" && !stands) return undefined;
  frame.engine.durable.note(frame.path, "agent_reused", {
    agent_name: work.name,
    agent_type: work.type,
    key: at.key,
    attempt: 1,
    hash: prepared.ok ? prepared.hash : "",
    ...(at.member ? { group: at.member.group } : {}),
    ...(at.member?.item_key === undefined ? {} : { item_key: at.member.item_key }),
    ...(end.type === "raised" ? { kind: end.error.kind } : {}),
  });
  return endOf(read);
}
