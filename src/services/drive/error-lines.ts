// `errors.jsonl`: one line for each unhandled envelope, and for every member that a group lost. A member's line waits
// until it is known whether a route of its group, or of a caller further out, took the group's error.
import type { Envelope } from "../../base/errors/index.ts";
import { isInside, nodePath } from "../../base/events/key.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import type { Redactor } from "../../base/redact/index.ts";
import type { RunLog } from "../../storage/run-log.ts";

/** A member that a group lost, of whose error it is not known yet whether a route took it. */
export interface OpenLine {
  readonly group: string;
  readonly event: RunEvent;
  readonly error: Envelope;
}

export class ErrorLines {
  /** Why a line could not be written, once. */
  failure: { readonly reason: string } | undefined;
  readonly #groups = new Map<string, string>();
  readonly #written = new Set<string>();
  /** Of members whose group begins again: left open by an earlier drive. */
  readonly #leftOpen = new Set<string>();
  #open: OpenLine[] = [];

  constructor(
    private readonly target: Pick<RunLog, "appendErrors">,
    private readonly redactor: Redactor,
    private readonly workflow: string,
    /** What a drive that was cut off left open. */
    inherited: readonly OpenLine[] = [],
    /** What has a line, of a drive that goes on from a keyframe. */
    written: Iterable<string> = [],
  ) {
    this.#open = [...inherited];
    for (const error of written) this.#written.add(error);
  }

  get open(): readonly OpenLine[] {
    return this.#open;
  }

  /** Errors that have a line: a group raises its member's error again. */
  get written(): ReadonlySet<string> {
    return this.#written;
  }

  see(event: RunEvent): void {
    switch (event.type) {
      case "parallel_started":
      case "for_each_started":
        this.#groups.set(nodePath(event.path, event.data.group_name), event.data.key);
        // It tells of its members again, of those that it lost before as well.
        for (const { error } of this.#take(event.data.key)) this.#leftOpen.add(identity(error));
        break;
      case "parallel_agent_failed":
      case "for_each_item_failed":
        this.#lose(event, event.data.group_name, event.data.error, event.data.reused === true);
        break;
      case "parallel_completed":
      case "for_each_completed":
        // The group went on without them. Of one whose items run again after the run's end, its beginning was not seen.
        if (!event.data.failed) this.#writeAll([...this.#take(event.data.key), ...this.#take(event.data.group_name)]);
        break;
      case "error_routed":
        if (event.data.action !== "propagate" && event.data.key !== undefined) this.#take(event.data.key);
        break;
      case "retry_scheduled":
        if (event.data.key !== undefined) this.#take(event.data.key);
        break;
      case "workflow_failed":
        this.#end(event);
        break;
    }
  }

  #lose(event: RunEvent, name: string, error: Envelope, isOld: boolean): void {
    const group = this.#groups.get(nodePath(event.path, name)) ?? name;
    if (isOld && !this.#leftOpen.has(identity(error))) this.#written.add(identity(error));
    else {
      // What a group inside it raised has a line already, which now knows how far the error went up.
      const inner = this.#open.findIndex(
        (line) => isInside(line.group, group) && identity(line.error) === identity(error),
      );
      const line = this.#open[inner];
      if (line) this.#open[inner] = { ...line, error: { ...line.error, propagated: error.propagated } };
      else this.#open.push({ group, event, error });
    }
  }

  /** Takes the open lines of a visit, and of all that happened inside it. */
  #take(key: string): readonly OpenLine[] {
    if (this.#open.length === 0) return this.#open;
    const isIn = ({ group }: OpenLine): boolean => group === key || isInside(group, key);
    const taken = this.#open.filter(isIn);
    if (taken.length > 0) this.#open = this.#open.filter((line) => !isIn(line));
    return taken;
  }

  #end(event: RunEvent & { readonly type: "workflow_failed" }): void {
    const { error_type, error } = event.data;
    // A schema violation of a step that did not opt in ends the run as Conductor does: it is no typed error.
    const isTyped = (line: OpenLine): boolean =>
      error_type !== "ValidationError" || line.error.kind !== "internal.schema_violation";
    this.#writeAll(this.#open.filter(isTyped));
    this.#open = [];
    if (error_type === "UnhandledWorkflowError" && error && !this.#written.has(identity(error)))
      this.#write(event, error);
  }

  #writeAll(lines: readonly OpenLine[]): void {
    for (const { event, error } of lines) this.#write(event, error);
  }

  #write({ ts, run_id }: RunEvent, error: Envelope): void {
    this.#written.add(identity(error));
    const line = this.redactor.value({ ts, run_id, workflow: this.workflow, ...error });
    try {
      this.target.appendErrors(`${JSON.stringify(line)}\n`);
    } catch (problem) {
      this.failure ??= { reason: problem instanceof Error ? problem.message : String(problem) };
    }
  }
}

/** A group raises its first member's envelope with more details: the same error for this file. */
const identity = ({ kind, message, raised_at, group, item_key, items }: Envelope): string =>
  JSON.stringify([kind, message, raised_at.workflow, raised_at.node, raised_at.attempt, group, item_key, items]);
