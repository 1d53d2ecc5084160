// The one exit for events: redacted once, then to events.jsonl and to whoever listens. Envelopes that nobody handled also
// become lines of errors.jsonl.
import type { RunEvent } from "../../events/registry.ts";
import type { RunLog } from "../../hosts/run-log.ts";
import type { RedactingStream, Redactor } from "../../redact/index.ts";
import { redactEvent } from "../../results/index.ts";
import type { Listener } from "../request.ts";
import { ErrorLines } from "./error-lines.ts";

/** Where the lines go. */
export type ExportTarget = Pick<RunLog, "exportEvents" | "appendErrors">;

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
      let length = 0;
      let isOfStream = false;
      for (let at = 0; at < events.length; at++) {
        const event = events[at]!;
        length += dataTexts[at]!.length + HEAD_LENGTH;
        isOfStream ||= STREAMS.has(event.type);
        errors.see(event);
      }
      // Who listens wants to see it now, and streams remember what they held back; the rest waits until it is written.
      if (!listener && !isOfStream) return target.exportEvents(() => linesOf(events, dataTexts, redactor), length);
      const shown: RunEvent[] = [];
      const texts: (string | undefined)[] = [];
      for (let at = 0; at < events.length; at++) {
        const event = events[at]!;
        for (const rest of heldBack(event, streams)) {
          shown.push(rest);
          texts.push(undefined);
        }
        const visible =
          event.type === "script_output" ? streamed(event, redactor, streams) : redactEvent(event, redactor);
        shown.push(visible);
        texts.push(visible === event ? dataTexts[at] : undefined);
      }
      if (listener) for (const event of shown) listener(event);
      target.exportEvents(() => linesOf(shown, texts), length);
    },
    get failure() {
      return errors.failure;
    },
  };
}

/** About what a line has beside its data. */
const HEAD_LENGTH = 130;

const STREAMS: ReadonlySet<string> = new Set(["script_output", "script_completed", "script_failed"]);

/**
 * Events as lines of JSON, without secrets if a redactor is given. Only the data of an event is walked, and only if its
 * text is not made already: the rest is plain names and numbers.
 */
function linesOf(events: readonly RunEvent[], dataTexts: readonly (string | undefined)[], redactor?: Redactor): string {
  let lines = "";
  for (let at = 0; at < events.length; at++) {
    const event = events[at]!;
    const shown = redactor ? redactEvent(event, redactor) : event;
    const { seq, ts, type, run_id, path, data } = shown;
    const where = path.length === 0 ? "[]" : JSON.stringify(path);
    const text = (shown === event ? dataTexts[at] : undefined) ?? JSON.stringify(data);
    lines += `{"seq":${seq},"ts":"${ts}","type":"${type}","run_id":"${run_id}","path":${where},"data":${text}}\n`;
  }
  return lines;
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
function heldBack(event: RunEvent, streams: Map<string, RedactingStream>): readonly RunEvent[] {
  if (event.type !== "script_completed" && event.type !== "script_failed") return NOTHING;
  const { agent_name: node } = event.data;
  return (["stdout", "stderr"] as const).flatMap((stream) => {
    const text = streams.get(streamId(event, node, stream))?.end();
    streams.delete(streamId(event, node, stream));
    return text ? [{ ...event, type: "script_output", data: { node, stream, text } } as RunEvent] : [];
  });
}

const NOTHING: readonly RunEvent[] = [];
