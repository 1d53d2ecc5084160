// From the end of a visit to the next step: stores the end in the context, reads the routes for it, and records what
// they did with an error.
import { causedBy, type Envelope, envelope } from "../../base/errors/index.ts";
import type { LastOutcome } from "../../base/events/visits/recall.ts";
import type { Names } from "../context/scope.ts";
import type { RaisedEnd, Succeeded } from "../ends.ts";
import { remarked, type Visit } from "../frame.ts";
import { noteFor } from "./attempt-under-way.ts";
import { changesOf, conditionsOf } from "./conditions.ts";
import type { RetryBudget } from "./route-retries.ts";
import { type ConsideredRoute, type Decision, readErrorRoutes, readSuccessRoutes } from "./routes.ts";
import { stamped } from "./settle.ts";

/** An end and what routes.ts decided about it. */
export interface RoutedEnd {
  readonly end: Succeeded | RaisedEnd;
  readonly decision: Decision | undefined;
  readonly considered: readonly ConsideredRoute[];
  /** The step succeeded, and its success routes made this error of it: it is not recorded yet. */
  readonly madeByRoutes?: Envelope;
}

/** Stores the end in the context, then reads the routes that belong to it. */
export function readRoutes(visit: Visit, end: Succeeded | RaisedEnd, budget: RetryBudget): RoutedEnd {
  const { frame, work, member } = visit;
  if (!member) store(visit, end);
  if (end.type === "raised") return readErrors(visit, end, budget);
  if (end.to !== undefined) return { end, decision: { action: "go", to: end.to, route: null }, considered: [] };
  if (member) return { end, decision: undefined, considered: [] };
  const base = frame.context.everything;
  const test = conditionsOf(base, end, undefined, visit.locals, visit.ledBy);
  const decision = remarked(frame, work.name, () => readSuccessRoutes(work.routes, test));
  if (decision.action !== "raise") return { end, decision, considered: [] };
  // What goes wrong while success routes are read is the step's own error; it reads the error routes once.
  const error = stamped(visit, 1, decision.error);
  const failed: RaisedEnd = { type: "raised", error, output: end.output, changes: end.changes };
  store(visit, failed);
  const read = readErrors(visit, failed, budget);
  return { ...read, considered: [...decision.considered, ...read.considered], madeByRoutes: error };
}

/** Records the error that success routes made, once it is known that the routes count. */
export function recordMadeByRoutes({ frame, work, key }: Visit, { madeByRoutes: error }: RoutedEnd): void {
  if (error) frame.engine.durable.note(frame.path, "error_raised", { node: work.name, key, error });
}

/** The same of an end that was recorded, without recording anything; nothing where success routes cannot be read any more. */
export function readRecordedRoutes(
  visit: Visit,
  end: Succeeded | RaisedEnd,
  budget: RetryBudget,
): RoutedEnd | undefined {
  store(visit, end);
  if (end.type === "raised") return readErrors(visit, end, budget);
  if (end.to !== undefined) return { end, decision: { action: "go", to: end.to, route: null }, considered: [] };
  const test = conditionsOf(visit.frame.context.everything, end, undefined, visit.locals);
  const decision = readSuccessRoutes(visit.work.routes, test);
  return decision.action === "raise" ? undefined : { end, decision, considered: [] };
}

/** Whether a group raised it because a member did. */
const isOfMember = ({ step }: Visit["work"], { details }: Envelope): boolean => !step && details.group !== undefined;

/** What becomes of an error; nothing is stored or recorded. */
export function readErrors(
  { frame, work, member, locals }: Pick<Visit, "frame" | "work" | "member" | "locals">,
  end: RaisedEnd,
  budget: RetryBudget,
): RoutedEnd {
  if (end.unopted) return { end, decision: { action: "unhandled" }, considered: [] };
  const given = { output: end.output ?? null, ...changesOf(end) };
  const own = member ? { [work.name]: { ...given, error: end.error } } : {};
  const test = conditionsOf(frame.context.everything, given, end.error, { ...locals, ...own });
  const { retriesMembersByDefaults } = frame.workflow.definition.semantics;
  const defaults = member && !retriesMembersByDefaults ? [] : frame.defaults;
  const isShared = retriesMembersByDefaults && (member !== undefined || isOfMember(work, end.error));
  const sharedAs = isShared ? (member ? "member" : "group") : undefined;
  const tables = { node: work.name, own: work.routes, defaults, sharedAs } as const;
  const reading = remarked(frame, work.name, () => readErrorRoutes(end.error, tables, budget, test));
  if (reading.decision.action !== "raise") return { end, ...reading };
  const { raised_at, group, item_key, items } = end.error;
  const place = Object.entries({ group, item_key, items }).filter(([, value]) => value !== undefined);
  const made = { ...envelope(reading.decision.error, raised_at), ...Object.fromEntries(place) };
  const error = causedBy(made, end.error);
  return { end: { ...end, error }, decision: { action: "unhandled" }, considered: reading.considered };
}

/** Stores a recorded failure after which the node ran again, as its attempts before that did. */
export function showFailure(visit: Visit, last: LastOutcome | undefined, times: number): void {
  const { error, output, changes } = last ?? {};
  for (let count = 0; count < times; count++)
    if (error) store(visit, { type: "raised", error, output, changes });
    else visit.frame.context.attempted(visit.work.name);
}

function store({ frame, work }: Visit, end: Succeeded | RaisedEnd): void {
  if (!work.step) {
    frame.context.grouped(work.name, (end.output ?? {}) as Names, end.type === "raised" ? end.error : undefined);
  } else if (end.type === "succeeded") frame.context.succeeded(work.name, end.output, end.changes);
  else frame.context.raised(work.name, end.error, end.output, end.changes);
}

/** Records what the routes made of an error. */
export function recordRouting(visit: Visit, { end, decision, considered }: RoutedEnd): void {
  if (end.type !== "raised" || !decision || decision.action === "raise") return;
  const { frame, work, key, member } = visit;
  const about = { node: work.name, key, kind: end.error.kind };
  if (decision.action === "unhandled") {
    // Of a member without routes there is nothing to say: its group decides.
    if (!member || considered.length > 0) noteFor(visit, "error_unhandled", { ...about, considered: [...considered] });
    return;
  }
  if (!decision.route) return;
  const { index, table } = decision.route;
  const line =
    table === "step"
      ? frame.routeRecords.line(work.name, index)
      : frame.workflow.positions.at(["workflow", "error_routes", index]).line;
  const to = decision.action === "go" ? decision.to : decision.action === "retry" ? decision.via : undefined;
  noteFor(visit, "error_routed", {
    ...about,
    route: { index, line, table },
    action: decision.action === "go" ? "to" : decision.action,
    to: to || undefined,
    considered: [...considered],
  });
}
