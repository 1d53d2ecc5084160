// From a run's visits to spans: each drive, in it each visit of a step or group, in that each attempt. A drive is linked to
// the one it goes on from, and to what it reused: a reuse is no span of its own.
import { idempotencyKey } from "../../events/idempotency-key.ts";
import { isContainer } from "../../events/node-types.ts";
import type { EventData } from "../../events/registry.ts";
import type { VisitFold } from "../../events/visits/visit-fold.ts";
import {
  type AttemptEnding,
  type AttemptRecord,
  type DriveRecord,
  inDrive,
  lastIn,
  type MomentOfDrive,
  type VisitRecord,
} from "../../events/visits/visit-record.ts";
import { LazyList } from "../../json/pieces.ts";
import { attemptSpanId, driveSpanId, traceIdOf, visitSpanId } from "./ids.ts";
import {
  type ListedSpanTree,
  newSpan,
  type Span,
  type SpanEnd,
  type SpanEvent,
  type SpanLink,
  type SpanTree,
  type Trace,
  treeOf,
  type Value,
} from "./span.ts";

type Attributes = Record<string, Value>;

type Folded = Pick<VisitFold, "drives">;

/** All spans of a run, drive by drive. */
export const traceOf = (runId: string, fold: Folded): Trace => ({
  trace_id: traceIdOf(runId),
  spans: fold.drives.flatMap((drive) => driveSpans(runId, drive, fold)),
});

/** The same as trees, one for each drive, whose branches are made as they are read. */
export const treesOf = (runId: string, fold: Folded): readonly ListedSpanTree[] =>
  fold.drives.map((drive) =>
    treeOf(driveSpan(runId, drive, fold.drives[0] ?? drive), new LazyList(() => branchesOf(runId, drive))),
  );

function* branchesOf(runId: string, { number, visits }: DriveRecord): Iterable<SpanTree> {
  /** Where each visit begins that is in no other. */
  const seqs: number[] = [];
  const below = new Map<string, VisitRecord[]>();
  for (const visit of visits) {
    const parent = parentIn(visit, number);
    if (!parent) seqs.push(firstOf(inDrive(visit.attempts, number))?.seq ?? 0);
    else if (!below.get(parent.key)?.push(visit)) below.set(parent.key, [visit]);
  }
  const grow = (visit: VisitRecord): readonly (Pick<Placed, "seq"> & { readonly tree: SpanTree })[] => {
    const [own, ...attempts] = visitSpans(runId, visit, number);
    if (!own) return [];
    const branches = [
      ...attempts.map(({ seq, span }) => ({ seq, tree: treeOf(span, []) })),
      ...(below.get(visit.key) ?? []).flatMap(grow),
    ];
    const children = branches.sort((a, b) => a.seq - b.seq).map(({ tree }) => tree);
    return [{ seq: own.seq, tree: treeOf(own.span, children) }];
  };
  // They stand as they were come to, which is as they began but for those that were reused first.
  const inOrder = seqs.every((seq, at) => at === 0 || seq >= (seqs[at - 1] ?? 0));
  const grown = (function* () {
    for (const visit of visits) if (!parentIn(visit, number)) yield* grow(visit);
  })();
  for (const { tree } of inOrder ? grown : [...grown].sort((a, b) => a.seq - b.seq)) yield tree;
}

/** The visit that it is in, if that ran in the same drive. */
const parentIn = ({ history }: VisitRecord, drive: number): VisitRecord | undefined =>
  history?.parent && ranIn(history.parent, drive) ? history.parent : undefined;

const firstOf = (attempts: readonly AttemptRecord[]): MomentOfDrive | undefined =>
  attempts.map(beginning).sort((a, b) => a.seq - b.seq)[0];

/** The span of a drive, and those of all that ran in it, in the order in which they began. */
export function driveSpans(runId: string, drive: DriveRecord, { drives }: Folded): readonly Span[] {
  const placed = [...drive.visits].flatMap((visit) => visitSpans(runId, visit, drive.number));
  const spans = placed.sort((a, b) => a.seq - b.seq).map(({ span }) => span);
  return [driveSpan(runId, drive, drives[0] ?? drive), ...spans];
}

function driveSpan(runId: string, drive: DriveRecord, first: DriveRecord): Span {
  const { number, began, lastAt, visits } = drive;
  const { name, file } = first.began.type === "workflow_started" ? first.began.data : { name: "", file: "" };
  const about = { "segno.run_id": runId, "segno.workflow": name, "segno.file": file, "segno.drive": number };
  return newSpan(
    { id: driveSpanId(runId, number), parent: null, name: `workflow ${name}`, start: began.ts, end: lastAt },
    driveStatus(drive, about),
    [],
    [
      ...(began.type === "run_resumed" ? [goesOnFrom(runId, number - 1, began.data.after)] : []),
      ...linksIn(runId, number, visits),
    ],
  );
}

const goesOnFrom = (runId: string, drive: number, after: string): SpanLink => ({
  trace_id: traceIdOf(runId),
  span_id: driveSpanId(runId, drive),
  attributes: { "segno.link": "resumed", "segno.after": after },
});

function* linksIn(runId: string, drive: number, visits: Iterable<VisitRecord>): Iterable<SpanLink> {
  for (const visit of visits) yield* reuseLinks(runId, visit, drive);
}

/** To the span in which it was done: in an earlier drive, or in another run, of which only the run is known. */
function reuseLinks(runId: string, visit: VisitRecord, drive: number): readonly SpanLink[] {
  const done = visit.attempts.findLast((attempt) => attempt.drive < drive)?.drive;
  return inDrive(visit.history?.reuses ?? [], drive).flatMap(({ fromRun }) => {
    const attributes = { "segno.link": "reused", "segno.node": visit.node };
    if (fromRun !== undefined) return { trace_id: traceIdOf(fromRun), span_id: driveSpanId(fromRun, 1), attributes };
    if (done === undefined) return [];
    return { trace_id: traceIdOf(runId), span_id: visitSpanId(runId, visit.key, done), attributes };
  });
}

function driveStatus({ end }: DriveRecord, attributes: Attributes): SpanEnd {
  if (end?.type === "workflow_completed") return { status: "ok", attributes };
  if (end?.type !== "workflow_failed") return { status: "unset", attributes };
  const { message, error, error_type } = end.data;
  return { status: "error", message, attributes: { ...attributes, "error.type": error?.kind ?? error_type } };
}

/** A span and where it belongs in the order of time. */
interface Placed {
  readonly seq: number;
  readonly span: Span;
}

/** The span of a visit in one drive, and those of its attempts there; none when it was only reused. */
export function visitSpans(runId: string, visit: VisitRecord, drive: number): readonly Placed[] {
  const { key, node, group, itemKey } = visit;
  const attempts = inDrive(visit.attempts, drive);
  const first = firstOf(attempts);
  if (!first) return [];
  const type = attempts[0]?.type ?? visit.type;
  const name = itemKey === undefined ? node : `${group ?? node}[${itemKey}]`;
  const id = visitSpanId(runId, key, drive);
  const above = parentIn(visit, drive);
  const parent = above ? visitSpanId(runId, above.key, drive) : driveSpanId(runId, drive);
  const end = attempts.findLast(({ ended }) => ended)?.ended?.at ?? first.at;
  const span = newSpan(
    { id, parent, name, start: first.at, end },
    endOfVisit(visit, attempts, drive, aboutVisit(visit, type)),
    eventsOf(visit, drive, isContainer(type)),
    [],
  );
  const below = isContainer(type) ? [] : attempts;
  return [{ seq: first.seq, span }, ...below.map((attempt) => attemptSpan(runId, visit, attempt, { id, name, type }))];
}

/** Made anew each time: who asks adds to it. */
function aboutVisit({ node, path, itemKey }: VisitRecord, type: string): Attributes {
  const attributes: Attributes = { "segno.node": node, "segno.type": type };
  if (type === "agent") {
    attributes["gen_ai.operation.name"] = "invoke_agent";
    attributes["gen_ai.agent.name"] = node;
  }
  if (path.length > 0) attributes["segno.path"] = path.join("/");
  if (itemKey !== undefined) attributes["segno.item_key"] = itemKey;
  return attributes;
}

const ranIn = (visit: VisitRecord, drive: number): boolean => visit.attempts.some((attempt) => attempt.drive === drive);

function attemptSpan(
  runId: string,
  visit: VisitRecord,
  attempt: AttemptRecord,
  above: { readonly id: string; readonly name: string; readonly type: string },
): Placed {
  const { number, drive, ended } = attempt;
  const { seq, at } = beginning(attempt);
  const before = visit.attempts.slice(0, visit.attempts.indexOf(attempt));
  const ordinal = before.filter((one) => one.ended).length + 1;
  const id = attemptSpanId(idempotencyKey(runId, visit.key, ordinal), drive);
  const attributes = aboutVisit(visit, above.type);
  addUsage(attempt, attributes);
  attributes["segno.attempt"] = number;
  attributes["segno.drive"] = drive;
  const span = newSpan(
    { id, parent: above.id, name: `${above.name} attempt ${number}`, start: at, end: ended?.at ?? at },
    endOf([attempt], attributes),
    failureNoted(attempt),
    [],
  );
  return { seq, span };
}

const NEVER: MomentOfDrive = { drive: 0, seq: 0, at: "" };
const beginning = ({ began, ended }: AttemptRecord): MomentOfDrive => began ?? ended ?? NEVER;

/** As its last attempt ended, unless its work went well and its routes could not be read after it. */
function endOfVisit(
  { history }: VisitRecord,
  attempts: readonly AttemptRecord[],
  drive: number,
  attributes: Attributes,
): SpanEnd {
  const end = endOf(attempts, attributes);
  const { kind, message } = (routesRaised(attempts.at(-1)) && lastIn(history?.errors ?? [], drive)?.error) || {};
  return kind === undefined || message === undefined
    ? end
    : { status: "error", message, attributes: { ...end.attributes, "error.type": kind } };
}

/** What went wrong then is the visit's error, and none of the attempt's. */
const routesRaised = (attempt: AttemptRecord | undefined): boolean =>
  attempt?.end === "failed" && attempt.ending?.type === "agent_completed";

/** How the last of some attempts ended; added to what is given. */
function endOf(attempts: readonly AttemptRecord[], attributes: Attributes): SpanEnd {
  const endings = attempts.flatMap(({ ending }) => ending ?? []);
  const { status, message } = resultOf(endings.at(-1));
  for (const ending of endings)
    if (ending.type === "agent_cancelled") attributes["segno.cancelled"] = true;
    else if (ending.type === "agent_failed" && status !== "ok")
      attributes["error.type"] = ending.data.kind ?? ending.data.error_type;
  return message === undefined ? { status, attributes } : { status, message, attributes };
}

function resultOf(ending: AttemptEnding | undefined): Pick<Span, "status" | "message"> {
  switch (ending?.type) {
    case undefined:
      return { status: "unset" };
    case "agent_completed":
      return { status: "ok" };
    case "agent_failed":
      return { status: "error", message: ending.data.message };
    case "agent_cancelled":
      return { status: "unset", message: ending.data.reason };
    default:
      return ending satisfies never;
  }
}

/** Whose models agents that work in a folder ask, by the names of the conventions. */
const WELL_KNOWN: Readonly<Record<string, string>> = { "claude-agent-sdk": "anthropic", codex: "openai" };

/** What the attempt's models used: on its span alone, so that a sum over spans counts it once. */
function addUsage({ ending }: AttemptRecord, attributes: Attributes): void {
  if (ending === undefined || ending.type === "agent_cancelled") return;
  const { model, response_model, provider, input_tokens, output_tokens, cost_usd } = ending.data;
  if (provider !== undefined) attributes["gen_ai.provider.name"] = WELL_KNOWN[provider] ?? provider;
  if (model !== undefined) attributes["gen_ai.request.model"] = model;
  if (response_model !== undefined) attributes["gen_ai.response.model"] = response_model;
  if (input_tokens !== undefined) attributes["gen_ai.usage.input_tokens"] = input_tokens;
  if (output_tokens !== undefined) attributes["gen_ai.usage.output_tokens"] = output_tokens;
  if (typeof cost_usd === "number") attributes["segno.cost_usd"] = cost_usd;
}

/** An error belongs to the attempt that failed with it. */
function failureNoted({ ending, ended }: AttemptRecord): readonly SpanEvent[] {
  if (ending?.type !== "agent_failed" || !ended) return [];
  const { kind, error_type, message } = ending.data;
  return [noted("exception", ended.at, { "exception.type": kind ?? error_type, "exception.message": message })];
}

/** With the errors of a group, and those that no attempt has. */
function eventsOf({ attempts, history, retries }: VisitRecord, drive: number, isGroup: boolean): readonly SpanEvent[] {
  const { errors = [], readings = [] } = history ?? {};
  const isOfAttempt = ({ seq }: MomentOfDrive): boolean =>
    attempts.findLast(({ ended }) => ended && ended.seq < seq)?.ending?.type === "agent_failed";
  const own = inDrive(errors, drive).filter((error) => isGroup || !isOfAttempt(error));
  const placed = [
    ...own.map(({ seq, at, error }) => ({
      seq,
      event: noted("exception", at, { "exception.type": error.kind, "exception.message": error.message }),
    })),
    ...inDrive(readings, drive).flatMap(({ seq, at, routed }) =>
      routed ? { seq, event: noted("error_routed", at, routeOf(routed)) } : [],
    ),
    ...inDrive(retries, drive).map(({ seq, at, scheduled: { kind, delay_seconds, max } }) => ({
      seq,
      event: noted("retry_scheduled", at, {
        "error.type": kind,
        "segno.delay_seconds": delay_seconds,
        ...(max === undefined ? {} : { "segno.max": max }),
      }),
    })),
  ];
  return placed.sort((a, b) => a.seq - b.seq).map(({ event }) => event);
}

const routeOf = ({ kind, action, to = "" }: EventData<"error_routed">): Attributes => ({
  "error.type": kind,
  "segno.action": action,
  "segno.to": to,
});

const noted = (name: string, at: string, attributes: Attributes): SpanEvent => ({ name, at, attributes });
