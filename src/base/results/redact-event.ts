// An event as it may leave the process. Which of its parts are the author's, so that keys there are names and not hints,
// is known here.
import type { Envelope } from "../errors/index.ts";
import { isMapping } from "../errors/mapping.ts";
import { isGroup } from "../events/node-types.ts";
import type { EventData, RunEvent } from "../events/registry.ts";
import { type HeldBack, type RecordedInputs, secretNamesIn } from "../events/secrets-in-events.ts";
import { maySpeakOfSecrets, type RedactingStream, type Redactor, secretsByName } from "../redact/index.ts";

/** The event without secrets; itself when there was none. `text`: its data as JSON, where that is made already. */
export function redactEvent(event: RunEvent, redactor: Redactor, text = ""): RunEvent {
  const data = isWide(text) && !redactor.mayHide(text) ? event.data : dataOf(event, redactor);
  // Slots hold the keys of items, and a key may be a secret.
  const path = event.path.length === 0 ? event.path : redactor.value(event.path);
  return data === event.data && path === event.path ? event : ({ ...event, path, data } as RunEvent);
}

function dataOf(event: RunEvent, redactor: Redactor): unknown {
  switch (event.type) {
    case "workflow_completed":
    case "workflow_failed": {
      const { output, ...rest } = event.data;
      const shown = redactor.value(output, { keys: "author" });
      const others = redactor.value(rest) as object;
      return shown === output && others === rest
        ? event.data
        : { ...others, ...(output === undefined ? {} : { output: shown }) };
    }
    case "agent_completed":
    case "agent_failed":
      return isGroup(event.data.agent_type) ? groupData(event.data, redactor) : redactor.value(event.data);
    case "parallel_completed":
    case "for_each_completed":
      return groupData(event.data, redactor);
    default:
      return redactor.value(event.data);
  }
}

/** A group's output has maps keyed by member: a member named `auth` is no secret, what it gave may hold one. */
function groupData(data: Readonly<Record<string, unknown>>, redactor: Redactor): unknown {
  const { output } = data;
  if (!isMapping(output)) return redactor.value(data);
  const { outputs, errors, changes, ...rest } = output;
  return {
    ...(redactor.value({ ...data, output: undefined }) as object),
    output: {
      ...(redactor.value(rest) as object),
      outputs: byName(outputs, redactor),
      errors: byName(errors, redactor),
      ...(changes === undefined ? {} : { changes: byName(changes, redactor) }),
    },
  };
}

const byName = (map: unknown, redactor: Redactor): unknown =>
  isMapping(map)
    ? Object.fromEntries(Object.entries(map).map(([name, value]) => [redactor.text(name), redactor.value(value)]))
    : redactor.value(map);

/** Learns values under secret-looking names, of each event before it is shown. `text`: its data as JSON, if that is made already. */
export function learnSecrets(event: RunEvent, redactor: Pick<Redactor, "learn">, text = ""): void {
  if (isWide(text) && !maySpeakOfSecrets(text)) return;
  // The journal was edited: the reader of the event reports it.
  if (typeof event.data !== "object" || event.data === null) return;
  if (GIVEN.has(event.type)) {
    for (const secret of secretsByName(inputsIn(event))) redactor.learn(secret);
    return;
  }
  const made = madeIn(event);
  if (made === undefined || made === null) return;
  for (const secret of secretsByName(made)) redactor.learn(secret, "by name");
}

/** What was given is known for sure: the author of the file did not make it. */
const GIVEN: ReadonlySet<RunEvent["type"]> = new Set(["workflow_started", "run_resumed", "subworkflow_started"]);

/** Without placeholders of secrets: those hold names, and a name that is hidden would be lost for the run. */
function inputsIn({ data }: RunEvent): unknown {
  if (!("inputs" in data) || !isMapping(data.inputs)) return undefined;
  const hidden = secretNamesIn(data as RecordedInputs);
  return Object.fromEntries(Object.entries(data.inputs).filter(([name]) => !hidden.includes(name)));
}

/** What steps, tools, models and people brought in. */
function madeIn(event: RunEvent): unknown {
  // A group's output is keyed by its members, whose own events were seen.
  if ("agent_type" in event.data && isGroup(event.data.agent_type)) return undefined;
  if (event.type === "error_raised") return (event.data.error as Envelope | undefined)?.details;
  const field = MADE[event.type];
  return field && (event.data as Readonly<Record<string, unknown>>)[field];
}

const MADE: { readonly [Type in RunEvent["type"]]?: keyof EventData<Type> & string } = {
  ...({ agent_completed: "output", agent_failed: "output", agent_reused: "output" } as const),
  ...({ script_started: "args", script_output: "text" } as const),
  ...({ agent_tool_start: "arguments", agent_tool_complete: "result" } as const),
  ...({ agent_message: "content", agent_reasoning: "content", dialog_message: "content" } as const),
  gate_resolved: "additional_input",
};

const SHORTEST = 64 * 1024;
const MANY = 5_000;

/** Whether JSON has very many names: they are sorted, so to go through the value takes longer than to search its text. */
function isWide(json: string): boolean {
  if (json.length < SHORTEST) return false;
  let names = 0;
  for (let at = json.indexOf('":'); at !== -1 && names < MANY; at = json.indexOf('":', at + 2)) names++;
  return names === MANY;
}

type OfScript = RunEvent & { readonly type: "script_output" | "script_completed" | "script_failed" };

interface OpenStream {
  readonly redacting: RedactingStream;
  /** The last event that it took from. */
  last: RunEvent & { readonly type: "script_output" };
}

/** What scripts print is redacted as a stream; what it holds back when it ends goes along with the event that ends it. */
export class EventExit {
  readonly #streams = new Map<string, OpenStream>();

  constructor(private readonly redactor: Redactor) {}

  static isOfStream(event: RunEvent): event is OfScript {
    return event.type === "script_output" || event.type === "script_completed" || event.type === "script_failed";
  }

  /** Whether a script is in the middle of printing: what it prints next depends on what it printed before. */
  get isHolding(): boolean {
    return this.#streams.size > 0;
  }

  /** The event as it may be shown, with what the streams that it ends had held back. `text`: its data as JSON, if made. */
  pass(event: RunEvent, text?: string): RunEvent {
    if (event.type === "script_output") return redactEvent(this.#streamed(event), this.redactor);
    const shown = redactEvent(event, this.redactor, text);
    if (this.#streams.size === 0) return shown;
    const held_back = this.#endedBy(event).flatMap((id) => this.#end(id));
    return held_back.length === 0 ? shown : ({ ...shown, data: { ...shown.data, held_back } } as RunEvent);
  }

  /** What is still held back when no more events will come: a process that was cut off leaves no word. */
  rest(): readonly HeldBack[] {
    return [...this.#streams.keys()].flatMap((id) => this.#end(id));
  }

  #streamed(event: RunEvent & { readonly type: "script_output" }): RunEvent {
    const id = streamId(event, event.data.stream);
    const open = this.#streams.get(id) ?? { redacting: this.redactor.stream(), last: event };
    open.last = event;
    this.#streams.set(id, open);
    return { ...event, data: { ...event.data, text: open.redacting.push(event.data.text) } };
  }

  /** A drive that was cut off left its scripts in the middle of printing; the next one runs them anew. */
  #endedBy(event: RunEvent): readonly string[] {
    if (event.type === "run_resumed") return [...this.#streams.keys()];
    return EventExit.isOfStream(event) ? [streamId(event, "stdout"), streamId(event, "stderr")] : [];
  }

  #end(id: string): readonly HeldBack[] {
    const open = this.#streams.get(id);
    this.#streams.delete(id);
    const text = open?.redacting.end() ?? "";
    if (!open || text === "") return [];
    const { seq, data } = open.last;
    return [{ seq, ...(this.redactor.value({ ...data, text }) as EventData<"script_output">) }];
  }
}

/** One stream for each visit: the items of a group print at the same time. */
function streamId({ path, data }: OfScript, stream: string): string {
  const place = data.key ?? `${path.join("/")}/${"node" in data ? data.node : data.agent_name}`;
  return `${place}:${stream}`;
}
