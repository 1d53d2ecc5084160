// A visit that an earlier drive made already: its recorded end stands for it, or is taken up where that drive was cut off,
// or it is said why the step runs again.
import type { LastOutcome, Recorded, RecordedRetry } from "../../events/recall.ts";
import type { EventData } from "../../events/registry.ts";
import type { RaisedEnd, Succeeded } from "../ends.ts";
import type { Frame } from "../frame.ts";
import type { Tried } from "./attempt.ts";
import { type Again, inGroup } from "./attempt-events.ts";
import type { Prepared, Visit } from "./prepare.ts";
import { readRoutes } from "./read-routes.ts";
import type { Budget } from "./retry-budget.ts";
import { endOf, type VisitEnd } from "./visit-end.ts";
import type { Work } from "./work.ts";

/** The recorded end of this visit, when it may stand for a new one. Routes are always read again. */
export function recalled(
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
    if (decision?.action === "retry") budget.spend(decision);
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
/** What is left of a wait that the earlier drive did not get to the end of. */
export async function waitOn(
  frame: Frame,
  work: Work,
  at: Visit,
  { until, delay, attempt, nth, max }: RecordedRetry,
): Promise<void> {
  const { durable, clock } = frame.engine;
  const left = Math.min(until - clock.now(), delay);
  if (left > 0) {
    const awaited: EventData<"retry_awaited"> = {
      node: work.name,
      key: at.key,
      attempt,
      nth,
      max,
      remaining_seconds: left / 1000,
      until: new Date(until).toISOString(),
    };
    durable.note(frame.path, "retry_awaited", inGroup(awaited, at.member));
  }
  await durable.sleepUntil(until, at.signal, delay);
}

/** Why a step that had ended well runs again. Its digest holds the environment it names: which of both it was is not known. */
export function changeOf(frame: Frame, work: Work, last: LastOutcome, prepared: Prepared): Again | undefined {
  if (last.definition === undefined) return undefined;
  if (last.definition === prepared.definition) return "inputs changed";
  return frame.definitions.namesEnvironment(work.name) ? "definition or environment changed" : "definition changed";
}

/** Into this drive's account too, since it is here that its routes are read. */
export async function toldAgain(frame: Frame, work: Work, at: Visit, end: RaisedEnd): Promise<Tried> {
  const { durable } = frame.engine;
  durable.note(frame.path, "error_raised", { node: work.name, key: at.key, error: end.error });
  const { endedAt, dice } = await durable.timed(async () => undefined);
  return { end, endedAt, dice };
}
