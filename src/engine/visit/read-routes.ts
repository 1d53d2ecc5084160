// From how a visit ended to where it leads: the end is stored in the context, the routes that belong to it are read, and
// what they made of an error is told.
import { causedBy, envelope } from "../../errors/index.ts";
import type { EventData } from "../../events/registry.ts";
import type { Names } from "../context/scope.ts";
import type { RaisedEnd, Succeeded } from "../ends.ts";
import type { Frame } from "../frame.ts";
import { inGroup } from "./attempt-events.ts";
import { conditionsOf } from "./conditions.ts";
import { stamped, type Visit } from "./prepare.ts";
import type { Budget } from "./retry-budget.ts";
import { type Considered, type Decision, readErrorRoutes, readSuccessRoutes } from "./routes.ts";
import type { Work } from "./work.ts";

export interface Read {
  readonly end: Succeeded | RaisedEnd;
  readonly decision: Decision | undefined;
  readonly considered: readonly Considered[];
}

/** Stores the end in the context, then reads the routes that belong to it. */
export function readRoutes(frame: Frame, work: Work, at: Visit, end: Succeeded | RaisedEnd, budget: Budget): Read {
  if (!at.member) store(frame, work, end);
  if (end.type === "raised") return readErrors(frame, work, at, end, budget);
  if (end.to !== undefined) return { end, decision: { action: "go", to: end.to, route: null }, considered: [] };
  if (at.member) return { end, decision: undefined, considered: [] };
  const base = frame.context.everything;
  const decision = readSuccessRoutes(work.routes, conditionsOf(base, end.output, undefined, at.locals));
  if (decision.action !== "raise") return { end, decision, considered: [] };
  // What goes wrong while success routes are read is the step's own error; it reads the error routes once.
  const error = stamped(frame, work.name, 1, decision.error, at.ledBy);
  const failed: RaisedEnd = { type: "raised", error, output: end.output };
  store(frame, work, failed);
  frame.engine.durable.note(frame.path, "error_raised", { node: work.name, key: at.key, error });
  return readErrors(frame, work, at, failed, budget);
}

function readErrors(frame: Frame, work: Work, at: Visit, end: RaisedEnd, budget: Budget): Read {
  if (end.unopted) return { end, decision: { action: "unhandled" }, considered: [] };
  const own = at.member ? { [work.name]: { output: end.output, error: end.error } } : {};
  const test = conditionsOf(frame.context.everything, end.output ?? null, end.error, { ...at.locals, ...own });
  const tables = { node: work.name, own: work.routes, defaults: at.member ? [] : frame.defaults };
  const reading = readErrorRoutes(end.error, tables, budget, test);
  if (reading.decision.action !== "raise") return { end, ...reading };
  const error = causedBy(envelope(reading.decision.error, end.error.raised_at), end.error);
  return { end: { ...end, error }, decision: { action: "unhandled" }, considered: reading.considered };
}

function store(frame: Frame, work: Work, end: Succeeded | RaisedEnd): void {
  if (!work.step) {
    frame.context.grouped(work.name, (end.output ?? {}) as Names, end.type === "raised" ? end.error : undefined);
  } else if (end.type === "succeeded") frame.context.succeeded(work.name, end.output);
  else frame.context.raised(work.name, end.error, end.output);
}

/** Tells what the routes made of an error. */
export function report(frame: Frame, work: Work, at: Visit, { end, decision, considered }: Read): void {
  if (end.type !== "raised" || !decision || decision.action === "raise") return;
  const { note } = frame.engine.durable;
  if (decision.action === "unhandled") {
    if (!at.member)
      note(frame.path, "error_unhandled", { node: work.name, kind: end.error.kind, considered: [...considered] });
    return;
  }
  if (!decision.route) return;
  const { index, table } = decision.route;
  const line =
    table === "step"
      ? frame.lineOfRoute(work.name, index)
      : frame.workflow.positions.at(["workflow", "error_routes", index]).line;
  const to = decision.action === "go" ? decision.to : decision.action === "retry" ? decision.via : undefined;
  const routed: EventData<"error_routed"> = {
    node: work.name,
    key: at.key,
    kind: end.error.kind,
    route: { index, line, table },
    action: decision.action === "go" ? "to" : decision.action,
    ...(to ? { to } : {}),
    considered: [...considered],
  };
  note(frame.path, "error_routed", inGroup(routed, at.member));
}
