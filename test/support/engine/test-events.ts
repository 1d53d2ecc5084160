// Short event sequences, written by hand, with numbers and times filled in.
import { type Details, type Envelope, envelope, raised } from "../../../src/base/errors/index.ts";
import type { EventData, EventType, RunEvent } from "../../../src/base/events/registry.ts";
import type { Outline } from "../../../src/base/events/state/state.ts";

const START = Date.parse("2030-01-01T00:00:00.000Z");

interface StepOptions {
  readonly key?: string;
  readonly type?: string;
  readonly attempt?: number;
  readonly group?: string;
  readonly item?: string;
  readonly elapsed?: number;
  readonly hash?: string;
  readonly output?: unknown;
  readonly more?: object;
}

/** An envelope raised at a step of the workflow `demo`. */
export const error = (
  node: string,
  kind = "external.git.drift",
  details: Details = {},
  message = `${kind} happened`,
): Envelope => envelope(raised(kind, message, details), { workflow: "demo", node, attempt: 1 });

type OutlineEntry = string | Outline["nodes"][number];

export const outline = (...nodes: readonly OutlineEntry[]): Outline => ({
  name: "demo",
  file: "/work/demo.yaml",
  nodes: nodes.map((node) => (typeof node === "string" ? { name: node, type: "script" } : node)),
});

export const SYSTEM = {};

/** A run as it is recorded. Each call adds an event a second later than the one before. */
export class Story {
  readonly events: RunEvent[] = [];
  path: readonly string[] = [];
  private now = START;

  add<Type extends EventType>(type: Type, data: EventData<Type>): this {
    this.now += 1000;
    const event = {
      seq: this.events.length + 1,
      ts: new Date(this.now).toISOString(),
      type,
      run_id: "01RUN",
      path: this.path,
      data,
    };
    this.events.push(event as unknown as RunEvent);
    return this;
  }

  /** Lets time pass. */
  wait(seconds: number): this {
    this.now += seconds * 1000;
    return this;
  }

  within(path: readonly string[], tell: (story: this) => void): this {
    const before = this.path;
    this.path = path;
    tell(this);
    this.path = before;
    return this;
  }

  started(plan: Outline): this {
    const routes: EventData<"workflow_started">["routes"] = [];
    const data = {
      name: plan.name,
      file: plan.file,
      entry_point: plan.nodes[0]?.name ?? "",
      outline: plan,
      inputs: {},
      routes,
    };
    return this.add("workflow_started", {
      ...data,
      durability: "process",
      definition_hash: "sha256:d",
      system: SYSTEM,
    });
  }

  resumed(plan: Outline, after = "failed"): this {
    const data = {
      drive: 2,
      outline: plan,
      definition_hash: "sha256:d",
      file_changed: false,
      inputs_changed: [],
      inputs: {},
    };
    return this.add("run_resumed", { ...data, after, reason: "asked", system: SYSTEM });
  }

  private place(node: string, options: StepOptions) {
    const { key = `${node}#1`, type = "script", attempt = 1, group, item } = options;
    return {
      agent_name: node,
      agent_type: type,
      key,
      attempt,
      ...(group === undefined ? {} : { group }),
      ...(item === undefined ? {} : { item_key: item }),
    };
  }

  begin(node: string, options: StepOptions = {}): this {
    return this.add("agent_started", { ...this.place(node, options), iteration: 1, ...options.more });
  }

  done(node: string, options: StepOptions = {}): this {
    const { elapsed = 0.5, hash = `sha256:${node}`, output = {} } = options;
    return this.add("agent_completed", { ...this.place(node, options), elapsed, hash, output, ...options.more });
  }

  /** Begins and completes. */
  ran(node: string, options: StepOptions = {}): this {
    return this.begin(node, options).done(node, options);
  }

  /** Fails with an envelope, as the engine tells it: the attempt's end, then the error. */
  fail(node: string, raisedError: Envelope, options: StepOptions = {}): this {
    const { elapsed = 0.25, hash = `sha256:${node}` } = options;
    const { kind, message } = raisedError;
    const ended = { elapsed, hash, error_type: "WorkflowError", message, kind };
    const output = "output" in options ? { output: options.output } : {};
    this.add("agent_failed", { ...this.place(node, options), ...ended, ...output, ...options.more });
    return this.add("error_raised", { node, key: options.key ?? `${node}#1`, error: raisedError });
  }

  routed(
    node: string,
    kind: string,
    action: EventData<"error_routed">["action"],
    to?: string,
    key = `${node}#1`,
  ): this {
    return this.add("error_routed", {
      node,
      key,
      kind,
      route: { index: 1, table: "step" },
      action,
      ...(to ? { to } : {}),
    });
  }

  retry(
    node: string,
    route = 1,
    options: { via?: string; by?: "route" | "resilience"; key?: string; attempt?: number } = {},
  ): this {
    const until = new Date(this.now + 60_000).toISOString();
    const { key = `${node}#1`, attempt = 1, ...more } = options;
    return this.add("retry_scheduled", {
      node,
      key,
      kind: "a.b",
      attempt,
      max: 3,
      delay_seconds: 60,
      until,
      route,
      ...more,
    });
  }

  reused(node: string, options: StepOptions & { readonly kind?: string } = {}): this {
    const kind = options.kind === undefined ? {} : { kind: options.kind };
    return this.add("agent_reused", { ...this.place(node, options), hash: `sha256:${node}`, ...kind, ...options.more });
  }

  ended(output: unknown = {}, more: object = {}): this {
    return this.add("workflow_completed", { elapsed: 1, output, degraded: false, ...more });
  }

  unhandled(node: string | null, raisedError: Envelope, more: object = {}): this {
    const data = { elapsed: 1, error_type: "UnhandledWorkflowError", message: raisedError.message, agent_name: node };
    return this.add("workflow_failed", {
      ...data,
      error: raisedError,
      errors_jsonl: "/runs/errors.jsonl",
      resumable: true,
      ...more,
    });
  }

  stopped(errorType: string, message: string, node: string | null = null, more: object = {}): this {
    return this.add("workflow_failed", {
      elapsed: 1,
      error_type: errorType,
      message,
      agent_name: node,
      resumable: true,
      ...more,
    });
  }
}
