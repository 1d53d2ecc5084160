// Events of a run as they are sent to those who follow it: the newest are kept, long values are cut, and chunks of one
// text are joined.
import { createHash } from "node:crypto";
import { isMapping } from "../../../base/errors/mapping.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import type { NodePath } from "../../../language/loaded.ts";

export class RunTail {
  readonly #kept: { readonly event: RunEvent; readonly bytes: number }[] = [];
  #bytes = 0;
  #first = 0;
  /** Every event after this number, up to the newest, is here. */
  from = 0;

  constructor(private readonly mostBytes: number) {}

  add(event: RunEvent): void {
    const bytes = sizeOf(event);
    this.#kept.push({ event, bytes });
    this.#bytes += bytes;
    while (this.#bytes > this.mostBytes && this.#first < this.#kept.length - 1) this.#drop();
    // What was dropped is let go of now and then.
    if (this.#first > 1000 && this.#first * 2 > this.#kept.length) {
      this.#kept.splice(0, this.#first);
      this.#first = 0;
    }
  }

  /** Of an event that so many come after that it would be dropped: what is here begins behind it. */
  pass(position: number): void {
    this.#kept.length = 0;
    this.#first = 0;
    this.#bytes = 0;
    this.from = position;
  }

  #drop(): void {
    const oldest = this.#kept[this.#first];
    if (!oldest) return;
    this.#first += 1;
    this.#bytes -= oldest.bytes;
    this.from = oldest.event.seq;
  }

  /** The events after a number, until so many bytes are together; nothing when some of them are not here any more. */
  after(position: number, mostBytes: number): readonly RunEvent[] | undefined {
    if (position < this.from) return undefined;
    const found: RunEvent[] = [];
    let bytes = 0;
    for (let index = this.#place(position); index < this.#kept.length; index++) {
      const kept = this.#kept[index];
      if (!kept || bytes >= mostBytes) break;
      found.push(kept.event);
      bytes += kept.bytes;
    }
    return found;
  }

  /** Of the first that comes after a number. */
  #place(position: number): number {
    let low = this.#first;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#kept[middle]?.event.seq ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

const sizeOf = (event: RunEvent): number => JSON.stringify(event).length + 1;

// Values that are too long to be sent along stand in an event as a beginning and a name, by which the whole can be asked
// for. Only what authors, steps and models made is cut: what the fold reads stays as it is. A value that has the mark of a
// cut value in it is cut, too: a reader may take every mark for one of ours.

/** JSON text from which a value is cut. */
const LONGEST = 16 * 1024;
/** Texts that are read as such: longer than any chunk that a process prints. */
const LONGEST_TEXT = 256 * 1024;
const PREVIEW = 400;

type Kept = (name: string, path: NodePath) => void;

const VALUES = ["output", "changes", "arguments", "result", "additional_input", "answer"] as const;
const MAPS = ["inputs"] as const;
const TEXTS = ["rendered_prompt", "content", "text"] as const;

/** The event with its long values cut; `kept` is called with the name of each and where it is. */
export function cutLongValues(event: RunEvent, kept: Kept): RunEvent {
  const { data } = event as { readonly data: Readonly<Record<string, unknown>> };
  let changed: Record<string, unknown> | undefined;
  const set = (field: string, before: unknown, after: unknown): void => {
    if (after === before) return;
    changed ??= { ...data };
    changed[field] = after;
  };
  for (const field of VALUES)
    if (data[field] !== undefined) set(field, data[field], cut(data[field], [field], LONGEST, kept));
  for (const field of TEXTS)
    if (typeof data[field] === "string") set(field, data[field], cut(data[field], [field], LONGEST_TEXT, kept));
  for (const field of MAPS) set(field, data[field], cutEach(data[field], [field], kept));
  set("error", data.error, cutError(data.error, ["error"], kept));
  return changed ? ({ ...event, data: changed } as unknown as RunEvent) : event;
}

function cutEach(map: unknown, path: NodePath, kept: Kept): unknown {
  if (!isMapping(map)) return map;
  let changed: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(map)) {
    const shown = cut(value, [...path, name], LONGEST, kept);
    if (shown === value) continue;
    changed ??= { ...map };
    changed[name] = shown;
  }
  return changed ?? map;
}

/** Details of an error, and of those inside it. */
function cutError(error: unknown, path: NodePath, kept: Kept): unknown {
  if (!isMapping(error)) return error;
  const details = cutEach(error.details, [...path, "details"], kept);
  const cause = error.cause === undefined ? undefined : cutError(error.cause, [...path, "cause"], kept);
  if (details === error.details && cause === error.cause) return error;
  return { ...error, details, ...(cause === undefined ? {} : { cause }) };
}

function cut(value: unknown, path: NodePath, longest: number, kept: Kept): unknown {
  if (typeof value === "string" ? value.length <= longest : typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  if (text.length <= longest && (typeof value === "string" || !text.includes('"$big"'))) return value;
  const name = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  kept(name, path);
  const shown = typeof value === "string" ? value : text;
  return { $big: name, bytes: Buffer.byteLength(text), preview: shown.slice(0, PREVIEW) };
}

const TEXT_OF: Readonly<Partial<Record<RunEvent["type"], "text" | "content">>> = {
  script_output: "text",
  agent_message: "content",
  agent_reasoning: "content",
};

/** With neighbouring chunks joined: a model speaks in thousands of them. A joined one has the number and time of the last. */
export function joinDeltas(events: readonly RunEvent[]): readonly RunEvent[] {
  const joined: RunEvent[] = [];
  for (const event of events) {
    const before = joined.at(-1);
    const both = before && join(before, event);
    if (both) joined[joined.length - 1] = both;
    else joined.push(event);
  }
  return joined;
}

function join(before: RunEvent, event: RunEvent): RunEvent | undefined {
  const field = Object.hasOwn(TEXT_OF, event.type) ? TEXT_OF[event.type] : undefined;
  if (field === undefined || before.type !== event.type) return undefined;
  const [first, second] = [before.data, event.data] as unknown as Readonly<Record<string, unknown>>[];
  if (!first || !second || typeof first[field] !== "string" || typeof second[field] !== "string") return undefined;
  if (placeOf(before) !== placeOf(event)) return undefined;
  return { ...event, data: { ...second, [field]: `${first[field]}${second[field]}` } } as unknown as RunEvent;
}

function placeOf({ path, data }: RunEvent): string {
  const { key, node, agent_name, group, item_key, stream } = data as unknown as Readonly<Record<string, unknown>>;
  return JSON.stringify([path, key, node, agent_name, group, item_key, stream]);
}
