// The one place where reuse is decided: whether what an earlier drive recorded of a visit is taken instead of running it
// again. The hash (hash.ts) says whether the step is the same; routes are read again in any case. Containers are entered
// again whatever they came to, since what is inside them is reused piece by piece.
import { isOfHash } from "../../events/file-digest.ts";
import type { LastOutcome, Recorded } from "../../events/visits/recall.ts";
import type { RaisedEnd, Succeeded } from "../ends.ts";
import type { Visit } from "../frame.ts";
import { attemptIdentity } from "./attempt-events.ts";
import { changedFiles, changedFilesOf } from "./attempt-files.ts";
import type { RerunReason } from "./attempt-under-way.ts";
import type { PreparedVisit } from "./prepare.ts";
import { type RoutedEnd, readRoutes, recordMadeByRoutes } from "./read-routes.ts";
import type { RetryBudget } from "./retry-budget.ts";

export type ReuseDecision =
  /** The recorded end is this visit's. It is recorded as reused, and its routes are read. */
  | { readonly reuse: "end"; readonly routed: RoutedEnd }
  /** A crash came before the error's routes were read, or they are others now: it is not made again, they are read. */
  | { readonly reuse: "error"; readonly end: RaisedEnd }
  /** It runs: the same step once more, or another than was recorded; why is known of one that had ended well. */
  | { readonly reuse: "nothing"; readonly isSame: boolean; readonly because?: RerunReason };

export function decideReuse(
  visit: Visit,
  recorded: Recorded | undefined,
  prepared: PreparedVisit,
  budget: RetryBudget,
): ReuseDecision {
  const last = recorded?.last;
  if (!recorded || !last) return { reuse: "nothing", isSame: false };
  if (!isSame(last, prepared))
    return { reuse: "nothing", isSame: false, because: whatChanged(visit, recorded, prepared) };
  if (isToRunForFiles(visit, recorded)) return { reuse: "nothing", isSame: false, because: "files changed" };
  const routed = last.ok
    ? reusedSuccess(visit, recorded, last, prepared, budget)
    : reusedFailure(visit, recorded, prepared, budget);
  if (routed) return { reuse: "end", routed };
  const end = errorLeftOpen(visit, recorded, prepared);
  return end ? { reuse: "error", end } : { reuse: "nothing", isSame: true };
}

/** Whether what is recorded is about the step as it is now. A step that could not be prepared has no hash. */
const isSame = (last: LastOutcome, prepared: PreparedVisit): boolean =>
  prepared.ok
    ? last.hash === prepared.hash
    : last.hash === undefined &&
      last.definition === prepared.definition &&
      last.error?.message === prepared.error.message;

/** `--changed-files`. What succeeded as a container is entered in any case, and each step inside decides for itself. */
const isToRunForFiles = (visit: Visit, recorded: Recorded): boolean =>
  visit.frame.engine.rerunsChangedFiles === true &&
  !(visit.work.isContainer && recorded.last?.ok) &&
  changedFilesOf(visit, recorded).length > 0;

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
  if (!last?.error || !isFoundAgain(visit, prepared)) return undefined;
  const groupWentOn = last.routed === "group";
  const wasHandled = last.routed === "to" || last.routed === "retry" || (visit.member !== undefined && groupWentOn);
  if (!wasHandled) return undefined;
  const { error, output, changes } = last;
  const end: RaisedEnd = { type: "raised", error, output, changes, reused: true };
  const forget = visit.frame.context.keep(visit.work.name);
  const routed = readRoutes(visit, end, budget);
  const { decision } = routed;
  const leadsOn = decision?.action === "go" || (decision?.action === "retry" && decision.via !== undefined);
  if (!leadsOn && !groupWentOn) {
    forget();
    return undefined;
  }
  if (decision?.action === "retry") budget.spend(decision);
  const to = decision?.action === "go" ? decision.to : decision?.action === "retry" ? decision.via : undefined;
  recordReuse(visit, recorded, end, prepared, to);
  return routed;
}

function errorLeftOpen(visit: Visit, { last, attempts }: Recorded, prepared: PreparedVisit): RaisedEnd | undefined {
  if (!last?.error || last.routed === "again" || attempts === 0 || !isFoundAgain(visit, prepared)) return undefined;
  // What was raised inside may have to be escalated or kept, and is found by entering it again.
  if (visit.work.isContainer && visit.frame.engine.guard) return undefined;
  const { error, output, changes, unopted } = last;
  return { type: "raised", error, output, changes, leftOpen: true, ...(unopted ? { unopted } : {}) };
}

/** A step is what its hash says; of a container, all that was recorded inside must be what would be found again. */
const isFoundAgain = (visit: Visit, prepared: PreparedVisit): boolean =>
  !visit.work.isContainer || (prepared.ok && visit.work.unchanged?.(prepared.values, visit) === true);

function recordReuse(
  visit: Visit,
  recorded: Recorded,
  end: Succeeded | RaisedEnd,
  prepared: PreparedVisit,
  to?: string,
): void {
  const { durable } = visit.frame.engine;
  const changed = changedFilesOf(visit, recorded);
  durable.note(visit.frame.path, "agent_reused", {
    ...attemptIdentity(visit, 1),
    hash: prepared.ok ? prepared.hash : "",
    ...(end.type === "raised" ? { kind: end.error.kind } : {}),
    ...(to === undefined ? {} : { to }),
    ...(changed.length > 0 ? { changed_files: [...changed] } : {}),
  });
}
