// The way out for the events of one run, in order: each is redacted, and what scripts print is redacted as a stream, so that
// a secret that was cut over two chunks is caught.
import type { RunEvent } from "../events/index.ts";
import type { RedactingStream, Redactor } from "../redact/index.ts";
import { redactEvent } from "./redact-event.ts";

type OfScript = RunEvent & { readonly type: "script_output" | "script_completed" | "script_failed" };

interface OpenStream {
  readonly redacting: RedactingStream;
  /** The last event that it took from. */
  last: RunEvent & { readonly type: "script_output" };
}

export class EventExit {
  readonly #redactor: Redactor;
  readonly #streams = new Map<string, OpenStream>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  static isOfStream(event: RunEvent): event is OfScript {
    return event.type === "script_output" || event.type === "script_completed" || event.type === "script_failed";
  }

  /** Whether a script is in the middle of printing: what it prints next depends on what it printed before. */
  get isHolding(): boolean {
    return this.#streams.size > 0;
  }

  /** The event as it may be shown, after what its script's streams had still held back. `text`: its data as JSON, if made. */
  pass(event: RunEvent, text?: string): readonly RunEvent[] {
    if (!EventExit.isOfStream(event)) return [redactEvent(event, this.#redactor, text)];
    if (event.type === "script_output") return [redactEvent(this.#streamed(event), this.#redactor)];
    return [...this.#heldBack(event), redactEvent(event, this.#redactor, text)];
  }

  /** What is still held back when no more events will come: a process that was cut off leaves no word. */
  rest(): RunEvent[] {
    const open = [...this.#streams.values()];
    this.#streams.clear();
    return open.flatMap(({ redacting, last }) => this.#remainder(redacting, last, last));
  }

  #streamed(event: RunEvent & { readonly type: "script_output" }): RunEvent {
    const id = streamId(event, event.data.stream);
    const open = this.#streams.get(id) ?? { redacting: this.#redactor.stream(), last: event };
    open.last = event;
    this.#streams.set(id, open);
    return { ...event, data: { ...event.data, text: open.redacting.push(event.data.text) } };
  }

  #heldBack(event: OfScript): RunEvent[] {
    return (["stdout", "stderr"] as const).flatMap((stream) => {
      const id = streamId(event, stream);
      const open = this.#streams.get(id);
      this.#streams.delete(id);
      return open ? this.#remainder(open.redacting, open.last, event) : [];
    });
  }

  #remainder(redacting: RedactingStream, last: OpenStream["last"], when: RunEvent): RunEvent[] {
    const text = redacting.end();
    if (text === "") return [];
    const { seq, ts } = when;
    return [redactEvent({ ...last, seq, ts, data: { ...last.data, text } }, this.#redactor)];
  }
}

/** One stream for each visit: the items of a group print at the same time. */
function streamId({ path, data }: OfScript, stream: string): string {
  const place = data.key ?? `${path.join("/")}/${"node" in data ? data.node : data.agent_name}`;
  return `${place}:${stream}`;
}
