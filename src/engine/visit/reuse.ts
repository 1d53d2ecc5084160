// The one place where reuse is decided: whether what an earlier drive recorded of a visit is taken instead of running it again.
// Whether a step is the same says its hash. Containers are entered again: what is inside them is reused piece by piece.
import type { Envelope } from "../../base/errors/index.ts";
import { isOfHash } from "../../base/events/step-files.ts";
import type { LastOutcome, Recorded } from "../../base/events/visits/recall.ts";
import type { RaisedEnd, Succeeded } from "../ends.ts";
import type { Visit } from "../frame.ts";
import { attemptIdentity, changedFiles, changedFilesOf, type RerunReason } from "./attempt-under-way.ts";
import type { PreparedVisit } from "./prepare.ts";
import { type RoutedEnd, readRoutes, recordMadeByRoutes } from "./read-routes.ts";
import type { RetryBudget } from "./route-retries.ts";

export type ReuseDecision =
  /** The recorded end is this visit's. It is recorded as reused, and its routes are read. */
  | { readonly reuse: "end"; readonly routed: RoutedEnd }
  /** A crash came before the error's routes were read, or they are others now: it is not made again, they are read. */
  | { readonly reuse: "error"; readonly end: RaisedEnd }
  /** It runs; why is known of a step that had ended well. */
  | { readonly reuse: "nothing"; readonly as: RunsAs; readonly because?: RerunReason };

/**
 * How a visit runs that an earlier drive was at: as its next attempt; as the one that is recorded, into which a container is
 * entered again; or as another step than was recorded, whose attempts count from the first.
 */
export type RunsAs = "next" | "entered" | "another";

/** What a container would find again of what was recorded inside; a step is what its hash says. */
export interface FoundInside {
  readonly isUnchanged: boolean;
  /** Whether a failure would be. */
  readonly failsAgain: boolean;
}

/** Asked before its last attempt is counted, since `context.iteration` may be part of hashes inside. */
export function findInside(visit: Visit, recorded: Recorded | undefined, prepared: PreparedVisit): FoundInside {
  const { work } = visit;
  const last = recorded?.last ?? recorded?.earlier;
  if (!last || !work.isContainer) return { isUnchanged: true, failsAgain: false };
  if (!prepared.ok) return { isUnchanged: false, failsAgain: false };
  // One that went well is entered again. If that was at once, there is nothing to go on from.
  if (last.ok && (recorded?.attempts ?? 0) <= 1) return { isUnchanged: true, failsAgain: false };
  return {
    isUnchanged: work.unchanged?.(prepared.values, visit) === true,
    failsAgain: work.failsAgain?.(prepared.values, visit) === true,
  };
}

export function decideReuse(
  visit: Visit,
  recorded: Recorded | undefined,
  prepared: PreparedVisit,
  inside: FoundInside,
  budget: RetryBudget,
): ReuseDecision {
  const last = recorded?.last;
  if (!recorded || !last) return { reuse: "nothing", as: wasOther(recorded, prepared, inside) ? "another" : "next" };
  if (!isSame(last, prepared))
    return {
      reuse: "nothing",
      as: changedAs(visit, recorded, inside, budget),
      because: whatChanged(visit, recorded, prepared),
    };
  if (isToRunForFiles(visit, recorded)) return { reuse: "nothing", as: "another", because: "files changed" };
  const routed = last.ok
    ? reusedSuccess(visit, recorded, last, prepared, budget)
    : inside.isUnchanged
      ? reusedFailure(visit, recorded, prepared, budget)
      : undefined;
  if (routed) return { reuse: "end", routed };
  const end = inside.isUnchanged ? errorLeftOpen(visit, recorded, budget) : undefined;
  return end
    ? { reuse: "error", end }
    : { reuse: "nothing", as: inside.isUnchanged ? "next" : changedAs(visit, recorded, inside, budget) };
}

/** Of one that a crash cut off when it ran again: whether its attempt before that was at another step. */
const wasOther = (recorded: Recorded | undefined, prepared: PreparedVisit, { failsAgain }: FoundInside): boolean =>
  recorded?.earlier !== undefined && !isSame(recorded.earlier, prepared) && !failsAgain;

/** With a failure of before in it, it goes on where that left it, whatever else in it was edited. */
function changedAs(visit: Visit, recorded: Recorded, { failsAgain }: FoundInside, budget: RetryBudget): RunsAs {
  const { last } = recorded;
  if (!failsAgain) return "another";
  if (!last?.error || last.routed !== "again") return "entered";
  return isStillRetried(visit, recorded, raisedEnd(last, last.error), budget) ? "next" : "another";
}

/** Whether what is recorded is about the step as it is now. A step that could not be prepared has no hash. */
const isSame = (last: LastOutcome, prepared: PreparedVisit): boolean =>
  prepared.ok
    ? last.hash === prepared.hash
    : last.hash === undefined &&
      last.definition === prepared.definition &&
      last.error?.message === prepared.error.message;

/**
 * `--changed-files`; or a step that says it `produces` some of its `files` ran after it. What succeeded as a container is
 * entered in any case, and each step inside decides for itself.
 */
const isToRunForFiles = (visit: Visit, recorded: Recorded): boolean =>
  (visit.frame.engine.rerunsChangedFiles === true &&
    !(visit.work.isContainer && recorded.last?.ok) &&
    changedFilesOf(visit, recorded).length > 0) ||
  visit.frame.produced.isReadBy(visit, recorded);

/** Why a step that had ended well runs again. Its digest holds the environment it names: which of both it was is not known. */
function whatChanged({ frame, work }: Visit, recorded: Recorded, prepared: PreparedVisit): RerunReason | undefined {
  const { last, files } = recorded;
  if (!last?.ok || work.isContainer || last.definition === undefined) return undefined;
  if (last.definition === prepared.definition)
    return changedFiles(frame.engine, { files: files?.filter(isOfHash) }).length > 0
      ? "files changed"
      : "inputs changed";
  return frame.definitions.namesEnvironment(work.name) ? "definition or environment changed" : "definition changed";
}

function reusedSuccess(
  visit: Visit,
  recorded: Recorded,
  last: LastOutcome,
  prepared: PreparedVisit,
  budget: RetryBudget,
): RoutedEnd | undefined {
  const { work, member } = visit;
  if (work.isContainer || !prepared.ok) return undefined;
  const to = member ? undefined : work.leadsTo?.(prepared.values, last.output);
  const { output, changes } = last;
  const end: Succeeded = { type: "succeeded", output, changes, reused: true, ...(to === undefined ? {} : { to }) };
  const forget = visit.frame.context.keep(work.name);
  const routed = readRoutes(visit, end, budget);
  // Its routes failed the run: a resume runs the step again.
  if (routed.end.type === "raised" && routed.decision?.action === "unhandled" && recorded.attempts === 0) {
    forget();
    return undefined;
  }
  recordMadeByRoutes(visit, routed);
  recordReuse(visit, recorded, end, prepared);
  return routed;
}

/** A failure is reused when it was handled, and still would be: by a route that leads on, or by its group. */
function reusedFailure(
  visit: Visit,
  recorded: Recorded,
  prepared: PreparedVisit,
  budget: RetryBudget,
): RoutedEnd | undefined {
  const { last } = recorded;
  if (!last?.error) return undefined;
  const groupWentOn = last.routed === "group";
  const wasHandled = last.routed === "to" || last.routed === "retry" || (visit.member !== undefined && groupWentOn);
  if (!wasHandled) return undefined;
  const { error, output, changes } = last;
  const end: RaisedEnd = { type: "raised", error, output, changes, reused: true };
  const forget = visit.frame.context.keep(visit.work.name);
  const routed = readRoutes(visit, end, budget);
  const { decision } = routed;
  const leadsOn = decision?.action === "go" || (decision?.action === "retry" && decision.via !== undefined);
  const isRetried = decision?.action === "retry" && !leadsOn;
  if (isRetried || (!leadsOn && !groupWentOn)) {
    forget();
    return undefined;
  }
  if (decision?.action === "retry") budget.spend(decision);
  const to = decision?.action === "go" ? decision.to : decision?.action === "retry" ? decision.via : undefined;
  recordReuse(visit, recorded, end, prepared, to);
  return routed;
}

function errorLeftOpen(visit: Visit, recorded: Recorded, budget: RetryBudget): RaisedEnd | undefined {
  const { last, attempts } = recorded;
  if (!last?.error || attempts === 0) return undefined;
  // What was raised inside may have to be escalated or kept, and is found by entering it again.
  if (visit.work.isContainer && visit.frame.engine.guard) return undefined;
  const end = raisedEnd(last, last.error);
  return last.routed === "again" && isStillRetried(visit, recorded, end, budget) ? undefined : end;
}

const raisedEnd = ({ output, changes, unopted }: LastOutcome, error: Envelope): RaisedEnd => ({
  type: "raised",
  error,
  output,
  changes,
  leftOpen: true,
  ...(unopted ? { unopted } : {}),
});

/** A retry that an earlier drive decided on is decided again, and counted anew: the routes may be others now. */
function isStillRetried(visit: Visit, recorded: Recorded, end: RaisedEnd, budget: RetryBudget): boolean {
  const forget = visit.frame.context.keep(visit.work.name);
  budget.giveBack(recorded);
  const { decision } = readRoutes(visit, end, budget);
  forget();
  if (decision?.action === "retry" && decision.via === undefined) {
    budget.spend(decision);
    return true;
  }
  const isTaken = decision?.action !== "unhandled" && decision?.action !== "propagate";
  return recorded.answeredWith?.by === "resilience" && !isTaken;
}

function recordReuse(
  visit: Visit,
  recorded: Recorded,
  end: Succeeded | RaisedEnd,
  prepared: PreparedVisit,
  to?: string,
): void {
  const { durable } = visit.frame.engine;
  visit.frame.produced.ended(visit, recorded.endedIn);
  const changed = changedFilesOf(visit, recorded);
  durable.note(visit.frame.path, "agent_reused", {
    ...attemptIdentity(visit, 1),
    hash: prepared.ok ? prepared.hash : "",
    kind: end.type === "raised" ? end.error.kind : undefined,
    to,
    changed_files: changed.length > 0 ? [...changed] : undefined,
  });
}
