// Spans as this program thinks of them; `otlp.ts` puts them into the protocol's shape.

export type Value = string | number | boolean;

export interface SpanEvent {
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
export type SpanEnd = Pick<Span, "status" | "message" | "attributes">;

/**
 * Field by field: what V8 makes of objects that are put together by spreading stays until it collects its whole heap, and of
 * a long run there are hundreds of thousands.
 */
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
