// The one exit for events: redacted once, then to events.jsonl and to whoever listens. Envelopes that nobody handled also
// become lines of errors.jsonl.
import type { Envelope } from "../errors/index.ts";
import type { RunEvent } from "../events/registry.ts";
import type { RedactingStream, Redactor } from "../redact/index.ts";
import { redactEvent } from "../results/index.ts";
import type { Listener } from "./request.ts";

export interface ExportTarget {
  exportEvents(lines: string): void;
  appendErrors(line: string): void;
}

export interface EventExport {
  /** `dataTexts` are the events' data as JSON: what holds no secret is written as it is. */
  write(events: readonly RunEvent[], dataTexts?: readonly string[]): void;
  /** Why errors.jsonl could not be written, once. */
  readonly failure: { readonly reason: string } | undefined;
}

export function exportEvents(
  target: ExportTarget,
  redactor: Redactor,
  workflow: string,
  listener?: Listener,
): EventExport {
  const streams = new Map<string, RedactingStream>();
  const errors = new ErrorLines(target, redactor, workflow);
  return {
    write(events, dataTexts) {
      let lines = "";
      const show = (shown: RunEvent, dataText?: string): void => {
        lines += lineOf(shown, dataText ?? JSON.stringify(shown.data));
        listener?.(shown);
      };
      for (let index = 0; index < events.length; index++) {
        const event = events[index] as RunEvent;
        if (event.type === "script_output") show(streamed(event, redactor, streams));
        else {
          if (event.type === "script_completed" || event.type === "script_failed")
            for (const rest of heldBack(event, streams)) show(rest);
          const shown = redactEvent(event, redactor);
          show(shown, shown === event ? dataTexts?.[index] : undefined);
        }
        errors.see(event);
      }
      target.exportEvents(lines);
    },
    get failure() {
      return errors.failure;
    },
  };
}

/** The event as a line of JSON. Only its data is walked: the rest is plain names and numbers. */
function lineOf({ seq, ts, type, run_id, path }: RunEvent, dataText: string): string {
  const where = path.length === 0 ? "[]" : JSON.stringify(path);
  return `{"seq":${seq},"ts":"${ts}","type":"${type}","run_id":"${run_id}","path":${where},"data":${dataText}}\n`;
}

/** A secret may be cut over two chunks; each stream remembers what it held back. */
function streamed(
  event: RunEvent & { type: "script_output" },
  redactor: Redactor,
  streams: Map<string, RedactingStream>,
): RunEvent {
  const { node, stream } = event.data;
  const id = streamId(event, node, stream);
  const redacting = streams.get(id) ?? redactor.stream();
  streams.set(id, redacting);
  return { ...event, data: { ...event.data, text: redacting.push(event.data.text) } };
}

const streamId = ({ path }: RunEvent, node: string, stream: string): string => `${path.join("/")}/${node}:${stream}`;

/** What the streams of a process still held back when it ended. */
function* heldBack(
  event: RunEvent & { type: "script_completed" | "script_failed" },
  streams: Map<string, RedactingStream>,
): Iterable<RunEvent> {
  const { agent_name: node } = event.data;
  for (const stream of ["stdout", "stderr"] as const) {
    const text = streams.get(streamId(event, node, stream))?.end();
    streams.delete(streamId(event, node, stream));
    if (text) yield { ...event, type: "script_output", data: { node, stream, text } };
  }
}

/** One line for each unhandled envelope and for every failed group member; a group adds none of its own. */
class ErrorLines {
  failure: { readonly reason: string } | undefined;
  readonly #written = new Set<string>();

  constructor(
    readonly target: ExportTarget,
    readonly redactor: Redactor,
    readonly workflow: string,
  ) {}

  see(event: RunEvent): void {
    if (event.type === "for_each_item_failed" || event.type === "parallel_agent_failed") {
      if (!event.data.reused) this.#write(event, event.data.error as Envelope);
      else this.#written.add(identity(event.data.error as Envelope));
    } else if (event.type === "workflow_failed" && event.data.error_type === "UnhandledWorkflowError") {
      const error = event.data.error as Envelope | undefined;
      if (error && !this.#written.has(identity(error))) this.#write(event, error);
    }
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
const identity = ({ kind, message, raised_at }: Envelope): string =>
  JSON.stringify([kind, message, raised_at.workflow, raised_at.node, raised_at.attempt]);
