// The one exit for events: redacted once, then to events.jsonl and to whoever listens. Envelopes that nobody handled also
// become lines of errors.jsonl.
import type { Envelope } from "../errors/index.ts";
import type { RunEvent } from "../events/registry.ts";
import type { RedactingStream, Redactor } from "../redact/index.ts";
import { redactEvent } from "../results/index.ts";
import type { Listener } from "./request.ts";

export interface ExportTarget {
  /** `lines` makes whole lines of JSON, now or later; `length` says about how long they will be. */
  exportEvents(lines: () => string, length: number): void;
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
    write(events, dataTexts = events.map(({ data }) => JSON.stringify(data))) {
      for (const event of events) errors.see(event);
      let length = 0;
      for (const text of dataTexts) length += text.length + HEAD_LENGTH;
      // Who listens wants to see it now, and streams remember what they held back; the rest waits until it is written.
      if (!listener && !events.some(isOfStream))
        return target.exportEvents(
          () => linesOf(events.map((event, at) => shownOf(event, dataTexts[at], redactor))),
          length,
        );
      const shown: Shown[] = [];
      for (let at = 0; at < events.length; at++) showNow(events[at]!, dataTexts[at], redactor, streams, shown);
      if (listener) for (const { event } of shown) listener(event);
      target.exportEvents(() => linesOf(shown), length);
    },
    get failure() {
      return errors.failure;
    },
  };
}

/** About what a line has beside its data. */
const HEAD_LENGTH = 130;

/** An event as it may be seen, and its data as JSON where that is made already. */
interface Shown {
  readonly event: RunEvent;
  readonly dataText: string | undefined;
}

/** Only the data of an event is walked: the rest is plain names and numbers. */
function linesOf(shown: readonly Shown[]): string {
  let lines = "";
  for (const { event, dataText } of shown) {
    const { seq, ts, type, run_id, path, data } = event;
    const where = path.length === 0 ? "[]" : JSON.stringify(path);
    lines += `{"seq":${seq},"ts":"${ts}","type":"${type}","run_id":"${run_id}","path":${where},"data":${dataText ?? JSON.stringify(data)}}\n`;
  }
  return lines;
}

function shownOf(event: RunEvent, dataText: string | undefined, redactor: Redactor): Shown {
  const shown = redactEvent(event, redactor);
  return { event: shown, dataText: shown === event ? dataText : undefined };
}

const isOfStream = ({ type }: RunEvent): boolean =>
  type === "script_output" || type === "script_completed" || type === "script_failed";

/** The event, after what its streams still held back if they ended with it. */
function showNow(
  event: RunEvent,
  dataText: string | undefined,
  redactor: Redactor,
  streams: Map<string, RedactingStream>,
  shown: Shown[],
): void {
  if (event.type === "script_output")
    return void shown.push({ event: streamed(event, redactor, streams), dataText: undefined });
  if (event.type === "script_completed" || event.type === "script_failed")
    for (const rest of heldBack(event, streams)) shown.push({ event: rest, dataText: undefined });
  shown.push(shownOf(event, dataText, redactor));
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
