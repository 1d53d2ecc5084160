// Spans as this program thinks of them, their ids, and what a span says of a visit, an attempt or a drive. `otlp.ts`
// puts them into the protocol's shape.
import { hash } from "node:crypto";
import type { EventData } from "../../../base/events/registry.ts";
import {
  type AttemptEnding,
  type AttemptRecord,
  type DriveRecord,
  inDrive,
  lastIn,
  type MomentOfDrive,
  type VisitRecord,
} from "../../../base/events/visits/visit-record.ts";

/**
 * Ids are computed from the run and the place: a trace that is sent twice is the same trace, and a script can be given its
 * span before anything of it is sent. At once: an object that hashes lives until V8 collects its whole heap.
 */
const hex = (length: number, ...parts: readonly (string | number)[]): string =>
  hash("sha256", parts.join("\0"), "hex").slice(0, length);

export const traceIdOf = (runId: string): string => hex(32, runId);

/** Each drive has a span of its own: what was sent cannot be changed when the run goes on. */
export const driveSpanId = (runId: string, drive: number): string => hex(16, runId, "", drive);

export const visitSpanId = (runId: string, key: string, drive: number): string => hex(16, runId, key, drive);

/** An attempt that was cut off and the one that replaces it have the same key; they are of different drives. */
export const attemptSpanId = (idempotencyKey: string, drive: number): string => hex(16, idempotencyKey, drive);

export type Value = string | number | boolean;

interface SpanEvent {
  readonly name: string;
  /** ISO time. */
  readonly at: string;
  readonly attributes: Readonly<Record<string, Value>>;
}

/** Another span that this one goes back to. */
export interface SpanLink {
  readonly trace_id: string;
  readonly span_id: string;
  readonly attributes: Readonly<Record<string, Value>>;
}

export interface Span {
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly status: "ok" | "error" | "unset";
  readonly message?: string;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
}

export interface Trace {
  readonly trace_id: string;
  readonly spans: readonly Span[];
}

/** A span with those below it, for people. */
export interface SpanTree extends Omit<Span, "parent"> {
  readonly duration_ms: number;
  readonly children: readonly SpanTree[];
}

/** The same, with many below it that are made as they are read. */
export interface ListedSpanTree extends Omit<SpanTree, "children"> {
  readonly children: Iterable<SpanTree>;
}

type SpanPlace = Pick<Span, "id" | "parent" | "name" | "start" | "end">;
type SpanEnd = Pick<Span, "status" | "message" | "attributes">;

/** Field by field: what V8 makes of spread objects stays until it collects its whole heap, and a long run has many. */
export function newSpan(place: SpanPlace, spanEnd: SpanEnd, events: Span["events"], links: Span["links"]): Span {
  const { id, parent, name, start, end } = place;
  const { status, message, attributes } = spanEnd;
  return message === undefined
    ? { id, parent, name, start, end, status, attributes, events, links }
    : { id, parent, name, start, end, status, message, attributes, events, links };
}

/** As in `newSpan`. */
export function treeOf<Children>(span: Span, children: Children) {
  const { id, name, start, end, status, message, attributes, events, links } = span;
  const duration_ms = Date.parse(end) - Date.parse(start);
  return message === undefined
    ? { id, name, start, end, status, attributes, events, links, duration_ms, children }
    : { id, name, start, end, status, message, attributes, events, links, duration_ms, children };
}

export type Attributes = Record<string, Value>;

export function driveStatus({ end }: DriveRecord, attributes: Attributes): SpanEnd {
  if (end?.type === "workflow_completed") return { status: "ok", attributes };
  if (end?.type !== "workflow_failed") return { status: "unset", attributes };
  const { message, error, error_type } = end.data;
  return { status: "error", message, attributes: { ...attributes, "error.type": error?.kind ?? error_type } };
}

/** Made anew each time: who asks adds to it. */
export function aboutVisit({ node, path, itemKey }: VisitRecord, type: string): Attributes {
  const attributes: Attributes = { "segno.node": node, "segno.type": type };
  if (type === "agent") {
    attributes["gen_ai.operation.name"] = "invoke_agent";
    attributes["gen_ai.agent.name"] = node;
  }
  if (path.length > 0) attributes["segno.path"] = path.join("/");
  if (itemKey !== undefined) attributes["segno.item_key"] = itemKey;
  return attributes;
}

/** As its last attempt ended, unless its work went well and its routes could not be read after it. */
export function endOfVisit(
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
export function endOf(attempts: readonly AttemptRecord[], attributes: Attributes): SpanEnd {
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
export function addUsage({ ending }: AttemptRecord, attributes: Attributes): void {
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
export function failureNoted({ ending, ended }: AttemptRecord): readonly SpanEvent[] {
  if (ending?.type !== "agent_failed" || !ended) return [];
  const { kind, error_type, message } = ending.data;
  return [noted("exception", ended.at, { "exception.type": kind ?? error_type, "exception.message": message })];
}

/** With the errors of a group, and those that no attempt has. */
export function eventsOf(
  { attempts, history, retries }: VisitRecord,
  drive: number,
  isGroup: boolean,
): readonly SpanEvent[] {
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
