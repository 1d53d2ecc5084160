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

export const treeOf = <Children>({ parent: _, ...span }: Span, children: Children) => ({
  ...span,
  duration_ms: Date.parse(span.end) - Date.parse(span.start),
  children,
});
