// From a run's events to spans: the run, each visit of a step or group, each attempt. Ids are made from the run and the
// place, so that a trace that is sent twice is the same trace.
import { createHash } from "node:crypto";
import type { EventData, RunEvent } from "../../events/registry.ts";
import type { Span, SpanEvent, Trace, Value } from "./span.ts";

interface OpenSpan {
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly start: string;
  end: string;
  status: Span["status"];
  message: string | undefined;
  readonly attributes: Record<string, Value>;
  readonly events: SpanEvent[];
}

const hex = (length: number, ...parts: readonly string[]): string =>
  createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, length);

const CONTAINERS: ReadonlySet<string> = new Set(["parallel", "for_each", "workflow"]);

export function traceOf(runId: string, events: Iterable<RunEvent>): Trace {
  const fold = new SpanFold(runId);
  for (const event of events) fold.add(event);
  return { trace_id: hex(32, runId), spans: fold.spans };
}

type Step = Omit<EventData<"agent_started">, "iteration">;

class SpanFold {
  readonly #runId: string;
  readonly #spans = new Map<string, OpenSpan>();
  /** Who called the sub-workflow at a path, and which visit of a group is the latest. */
  readonly #callers = new Map<string, string>();
  readonly #groups = new Map<string, string>();

  constructor(runId: string) {
    this.#runId = runId;
  }

  get spans(): readonly Span[] {
    return [...this.#spans.values()].map(({ message, ...span }) => ({
      ...span,
      ...(message === undefined ? {} : { message }),
    }));
  }

  get #run(): OpenSpan | undefined {
    return this.#spans.get("");
  }

  add(event: RunEvent): void {
    this.#read(event);
    if (this.#run) this.#run.end = event.ts;
  }

  #read(event: RunEvent): void {
    const { path, ts } = event;
    switch (event.type) {
      case "workflow_started": {
        const attributes = {
          "segno.run_id": this.#runId,
          "segno.workflow": event.data.name,
          "segno.file": event.data.file,
        };
        this.#open("", null, `workflow ${event.data.name}`, ts, attributes);
        break;
      }
      case "run_resumed":
        this.#note(this.#run, "resumed", ts, { "segno.drive": event.data.drive, "segno.after": event.data.after });
        break;
      case "agent_started":
        this.#started(path, event.data, ts);
        break;
      case "subworkflow_started":
        this.#callers.set([...path, event.data.slot].join("/"), event.data.key);
        break;
      case "agent_completed":
        this.#ended(event.data, ts, "ok", undefined, usageOf(event.data));
        break;
      case "agent_failed": {
        const kind = event.data.kind ?? event.data.error_type;
        this.#ended(event.data, ts, "error", event.data.message, { "error.type": kind, ...usageOf(event.data) });
        break;
      }
      case "agent_cancelled":
        this.#ended(event.data, ts, "unset", event.data.reason, { "segno.cancelled": true });
        break;
      case "agent_reused":
        this.#started(path, event.data, ts);
        this.#ended(event.data, ts, "ok", undefined, { "segno.reused": true });
        break;
      case "error_raised": {
        const { kind, message } = event.data.error;
        this.#note(this.#spans.get(event.data.key ?? ""), "exception", ts, {
          "exception.type": kind,
          "exception.message": message,
        });
        break;
      }
      case "error_routed": {
        const { kind, action, to = "" } = event.data;
        this.#note(this.#spans.get(event.data.key ?? ""), "error_routed", ts, {
          "error.type": kind,
          "segno.action": action,
          "segno.to": to,
        });
        break;
      }
      case "retry_scheduled": {
        const { kind, delay_seconds, max } = event.data;
        this.#note(this.#spans.get(event.data.key), "retry_scheduled", ts, {
          "error.type": kind,
          "segno.delay_seconds": delay_seconds,
          "segno.max": max,
        });
        break;
      }
      case "workflow_completed":
        this.#finish("ok", undefined);
        break;
      case "workflow_failed":
        this.#finish("error", event.data.message, event.data.error?.kind ?? event.data.error_type);
        break;
    }
  }

  #open(key: string, parent: string | null, name: string, start: string, attributes: Record<string, Value>): OpenSpan {
    const id = hex(16, this.#runId, key);
    const span: OpenSpan = {
      id,
      parent,
      name,
      start,
      end: start,
      status: "unset",
      message: undefined,
      attributes,
      events: [],
    };
    this.#spans.set(key, span);
    return span;
  }

  #started(path: readonly string[], data: Step, ts: string): void {
    const { key, agent_name, agent_type, attempt, group, item_key } = data;
    const attributes: Record<string, Value> = {
      "segno.node": agent_name,
      "segno.type": agent_type,
      ...(path.length > 0 ? { "segno.path": path.join("/") } : {}),
      ...(item_key === undefined ? {} : { "segno.item_key": item_key }),
    };
    const name = item_key === undefined ? agent_name : `${group ?? agent_name}[${item_key}]`;
    const visit = this.#spans.get(key) ?? this.#open(key, this.#parentOf(path, group), name, ts, attributes);
    if (agent_type === "parallel" || agent_type === "for_each") this.#groups.set([...path, agent_name].join("/"), key);
    if (!CONTAINERS.has(agent_type))
      this.#open(attemptKey(data), visit.id, `${name} attempt ${attempt}`, ts, {
        ...attributes,
        "segno.attempt": attempt,
      });
  }

  #parentOf(path: readonly string[], group: string | undefined): string | null {
    const key = group === undefined ? this.#callers.get(path.join("/")) : this.#groups.get([...path, group].join("/"));
    return (this.#spans.get(key ?? "") ?? this.#run)?.id ?? null;
  }

  #ended(
    data: Pick<Step, "key" | "attempt">,
    ts: string,
    status: Span["status"],
    message: string | undefined,
    more: Record<string, Value>,
  ): void {
    for (const span of [this.#spans.get(data.key), this.#spans.get(attemptKey(data))]) {
      if (!span) continue;
      span.end = ts;
      span.status = status;
      span.message = message;
      if (status === "ok") delete span.attributes["error.type"];
      Object.assign(span.attributes, more);
    }
  }

  #finish(status: Span["status"], message: string | undefined, kind?: string): void {
    if (!this.#run) return;
    this.#run.status = status;
    this.#run.message = message;
    if (kind !== undefined) this.#run.attributes["error.type"] = kind;
    else delete this.#run.attributes["error.type"];
  }

  #note(span: OpenSpan | undefined, name: string, at: string, attributes: Record<string, Value>): void {
    span?.events.push({ name, at, attributes });
  }
}

const attemptKey = ({ key, attempt }: Pick<Step, "key" | "attempt">): string => `${key}!${attempt}`;

/** Names of OpenTelemetry's conventions for models, where there are any. */
function usageOf(
  data: Pick<EventData<"agent_completed">, "model" | "input_tokens" | "output_tokens" | "cost_usd">,
): Record<string, Value> {
  const { model, input_tokens, output_tokens, cost_usd } = data;
  return {
    ...(model === undefined ? {} : { "gen_ai.response.model": model }),
    ...(input_tokens === undefined ? {} : { "gen_ai.usage.input_tokens": input_tokens }),
    ...(output_tokens === undefined ? {} : { "gen_ai.usage.output_tokens": output_tokens }),
    ...(typeof cost_usd === "number" ? { "segno.cost_usd": cost_usd } : {}),
  };
}
