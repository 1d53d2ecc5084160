// From a run's visits to spans: the run, each visit of a step or group, each attempt in whichever drive it was made. A
// reuse is an event of the visit's span and no attempt. Ids are made from the run and the place, so that a trace that is
// sent twice is the same trace.
import { createHash } from "node:crypto";
import { isContainer } from "../../events/node-types.ts";
import type { EventData, RunEvent } from "../../events/registry.ts";
import { VisitFold } from "../../events/visit-fold.ts";
import type { AttemptEnding, AttemptRecord, DriveRecord, Moment, VisitRecord } from "../../events/visit-record.ts";
import type { Span, SpanEvent, Trace, Value } from "./span.ts";

type Attributes = Record<string, Value>;

const hex = (length: number, ...parts: readonly string[]): string =>
  createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, length);

export function traceOf(runId: string, events: Iterable<RunEvent>): Trace {
  const fold = new VisitFold({ history: true });
  for (const event of events) fold.add(event);
  const run = runSpan(runId, fold.drives);
  const placed = [...fold.visits.values()].flatMap((visit) => spansOf(runId, run?.id ?? null, visit));
  const spans = placed.sort((a, b) => a.seq - b.seq).map(({ span }) => span);
  return { trace_id: hex(32, runId), spans: run ? [run, ...spans] : spans };
}

function runSpan(runId: string, drives: readonly DriveRecord[]): Span | undefined {
  const [first] = drives;
  if (first?.began.type !== "workflow_started") return undefined;
  const { name, file } = first.began.data;
  return {
    id: hex(16, runId, ""),
    parent: null,
    name: `workflow ${name}`,
    start: first.began.ts,
    end: drives.at(-1)?.lastAt ?? first.lastAt,
    ...runStatus(drives, { "segno.run_id": runId, "segno.workflow": name, "segno.file": file }),
    events: drives.flatMap(({ began: { type, ts, data } }) =>
      type === "run_resumed" ? noted("resumed", ts, { "segno.drive": data.drive, "segno.after": data.after }) : [],
    ),
  };
}

/** A run that was paused or cancelled since is as it was when it ended last. */
function runStatus(
  drives: readonly DriveRecord[],
  attributes: Attributes,
): Pick<Span, "status" | "message" | "attributes"> {
  const ends = drives.map(({ end }) => end);
  const end = ends.findLast((one) => one?.type === "workflow_completed" || one?.type === "workflow_failed");
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

/** The span of a visit, and those of its attempts. */
function spansOf(runId: string, run: string | null, visit: VisitRecord): readonly Placed[] {
  const { key, node, path, group, itemKey, attempts, history } = visit;
  const reuses = history?.reuses ?? [];
  const [first] = [...attempts.map(beginning), ...reuses].sort((a, b) => a.seq - b.seq);
  if (!first) return [];
  const type = attempts[0]?.type ?? visit.type;
  const attributes = {
    "segno.node": node,
    "segno.type": type,
    ...(path.length > 0 ? { "segno.path": path.join("/") } : {}),
    ...(itemKey === undefined ? {} : { "segno.item_key": itemKey }),
  };
  const name = itemKey === undefined ? node : `${group ?? node}[${itemKey}]`;
  const id = hex(16, runId, key);
  const span: Span = {
    id,
    parent: history?.parent ? hex(16, runId, history.parent.key) : run,
    name,
    start: first.at,
    end: attempts.findLast(({ ended }) => ended)?.ended?.at ?? first.at,
    ...endOf(attempts, { ...attributes, ...(reuses.length > 0 ? { "segno.reused": true } : {}) }),
    ...(attempts.length === 0 ? { status: "ok" } : {}),
    events: eventsOf(visit),
  };
  const below = isContainer(type) ? [] : attempts;
  return [
    { seq: first.seq, span },
    ...below.map((attempt, index) => attemptSpan(attempt, hex(16, runId, key, `${index}`), { id, name, attributes })),
  ];
}

function attemptSpan(
  attempt: AttemptRecord,
  id: string,
  visit: { readonly id: string; readonly name: string; readonly attributes: Attributes },
): Placed {
  const { number, drive, ended } = attempt;
  const { seq, at } = beginning(attempt);
  const attributes = { ...visit.attributes, "segno.attempt": number, "segno.drive": drive };
  const span: Span = {
    id,
    parent: visit.id,
    name: `${visit.name} attempt ${number}`,
    start: at,
    end: ended?.at ?? at,
    ...endOf([attempt], attributes),
    events: [],
  };
  return { seq, span };
}

const NEVER: Moment = { drive: 0, seq: 0, at: "" };
const beginning = ({ began, ended }: AttemptRecord): Moment => began ?? ended ?? NEVER;

/** How the last of some attempts ended; what models used is that of the last which used one. */
function endOf(
  attempts: readonly AttemptRecord[],
  attributes: Attributes,
): Pick<Span, "status" | "message" | "attributes"> {
  const endings = attempts.flatMap(({ ending }) => ending ?? []);
  const { status, message } = resultOf(endings.at(-1));
  const all: Attributes = Object.assign({ ...attributes }, ...endings.map(attributesOf));
  if (status === "ok") delete all["error.type"];
  return { status, ...(message === undefined ? {} : { message }), attributes: all };
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

/** Names of OpenTelemetry's conventions for models, where there are any. */
function attributesOf(ending: AttemptEnding): Attributes {
  if (ending.type === "agent_cancelled") return { "segno.cancelled": true };
  const { model, input_tokens, output_tokens, cost_usd } = ending.data;
  return {
    ...(ending.type === "agent_failed" ? { "error.type": ending.data.kind ?? ending.data.error_type } : {}),
    ...(model === undefined ? {} : { "gen_ai.response.model": model }),
    ...(input_tokens === undefined ? {} : { "gen_ai.usage.input_tokens": input_tokens }),
    ...(output_tokens === undefined ? {} : { "gen_ai.usage.output_tokens": output_tokens }),
    ...(typeof cost_usd === "number" ? { "segno.cost_usd": cost_usd } : {}),
  };
}

function eventsOf({ history, retries }: VisitRecord): readonly SpanEvent[] {
  const { errors = [], readings = [], reuses = [] } = history ?? {};
  const placed = [
    ...errors.map(({ seq, at, error }) => ({
      seq,
      event: noted("exception", at, { "exception.type": error.kind, "exception.message": error.message }),
    })),
    ...readings.flatMap(({ seq, at, routed }) =>
      routed ? { seq, event: noted("error_routed", at, routeOf(routed)) } : [],
    ),
    ...retries.map(({ seq, at, scheduled: { kind, delay_seconds, max } }) => ({
      seq,
      event: noted("retry_scheduled", at, {
        "error.type": kind,
        "segno.delay_seconds": delay_seconds,
        "segno.max": max,
      }),
    })),
    ...reuses.map(({ seq, at, drive, fromRun }) => ({
      seq,
      event: noted("reused", at, {
        "segno.drive": drive,
        ...(fromRun === undefined ? {} : { "segno.from_run": fromRun }),
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
