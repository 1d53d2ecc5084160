// A row of the journal: the events that one append recorded, as `[type, data, ts, path]`. What is the same for all events of
// a run, or follows from the row, is not written; nor is a time that is the one before, nor the path of the root.
import { createHash, type Hash } from "node:crypto";
import type { RunEvent } from "../../base/events/registry.ts";
import { StoreError } from "../store-error.ts";
import { contentHash } from "./columns.ts";
import type { DataText } from "./data-text.ts";
import { BIG, type Fetch, fetchBig, type Keep, keepBig, keepBigOf, mayHoldBig, speaksOfBlobs } from "./spill.ts";

type Entry = readonly [type: string, data: unknown, ts?: string, path?: readonly string[]];

/** `dataTexts`: the events' data as JSON, which others need too; nothing for data that is too long for one text. */
export function encodeBatch(events: readonly RunEvent[], dataTexts: readonly DataText[], keep: Keep): string {
  // Looked at one by one when they are too long together to be one text.
  const length = dataTexts.reduce((sum, text) => sum + (text?.length ?? Number.POSITIVE_INFINITY), 0);
  const text = length > BIG ? undefined : joined(events, dataTexts as readonly string[]);
  if (text !== undefined && !mayHoldBig(text)) return text;
  return joined(
    events,
    dataTexts.map((data, at) => (data === undefined ? keepBigOf(events[at]!.data, keep) : keepBig(data, keep))),
  );
}

/** The same for people: a value that no text can hold is refused with what its author can do. `place`: where runs are kept. */
export function encodeRow(
  events: readonly RunEvent[],
  dataTexts: readonly DataText[],
  keep: Keep,
  { runId, place }: { readonly runId: string; readonly place: string },
): string {
  try {
    return encodeBatch(events, dataTexts, keep);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const types = [...new Set(events.map(({ type }) => type))].join(", ");
    throw new StoreError(
      "too_big",
      `While recording run ${runId}: a value in ${types} is longer than any text can be (512 MB), or nested too deeply to be written. Let the step write it to a file, and give the file's name.`,
      place,
      error,
    );
  }
}

function joined(events: readonly RunEvent[], dataTexts: readonly string[]): string {
  let text = "[";
  let before = "";
  for (let index = 0; index < events.length; index++) {
    const { type, ts, path } = events[index]!;
    text += `${index === 0 ? "" : ","}["${type}",${dataTexts[index]}`;
    if (path.length > 0) text += `,"${ts}",${JSON.stringify(path)}`;
    else if (ts !== before) text += `,"${ts}"`;
    text += "]";
    before = ts;
  }
  return `${text}]`;
}

export interface BatchPlace {
  readonly runId: string;
  readonly firstSeq: number;
  readonly fetch: Fetch;
}

/** Rows of the first format hold whole events. */
export function decodeBatch(text: string, { runId, firstSeq, fetch }: BatchPlace): RunEvent[] {
  const whole = speaksOfBlobs(text) ? (data: unknown) => fetchBig(data, fetch) : (data: unknown) => data;
  let before = "";
  return (JSON.parse(text) as (Entry | RunEvent)[]).map((entry, index) => {
    const [type, data, ts = before, path = []] = isEntry(entry)
      ? entry
      : [entry.type, entry.data, entry.ts, entry.path];
    if (
      typeof type !== "string" ||
      typeof data !== "object" ||
      data === null ||
      typeof ts !== "string" ||
      !isPath(path)
    )
      throw new TypeError("no event");
    if (!isEntry(entry)) return { ...entry, data: whole(data) } as RunEvent;
    before = ts;
    return { seq: firstSeq + index, ts, type, run_id: runId, path, data: whole(data) } as RunEvent;
  });
}

const isPath = (path: unknown): boolean => Array.isArray(path) && path.every((slot) => typeof slot === "string");

const isEntry = (entry: Entry | RunEvent): entry is Entry => Array.isArray(entry);

// What a script prints is recorded as it comes, and once more in its output. A long output that is what was printed is not
// kept again: its name says which events hold it, and a reader puts it together from them.

type Printed = RunEvent & { readonly type: "script_output" };

/** `printed:FIRST-LAST:STREAM:SHA256:KEY`: numbers of events, and the digest of the text as JSON. */
const NAME = /^printed:(\d+)-(\d+):(stdout|stderr):([0-9a-f]{64}):(.*)$/s;

export const isPrinted = (name: string): boolean => name.startsWith("printed:");

/** Outputs follow what was printed closely: of more scripts at once, some outputs are kept again. */
const MOST_KNOWN = 100;

/** Of one stream of one attempt; hashed from there on where it is known to be long. */
class OpenStream {
  readonly #first: number;
  #last: number;
  #pending = "";
  #hash: Hash | undefined;
  #length = 2;

  constructor({ seq }: Printed) {
    this.#first = seq;
    this.#last = seq;
  }

  add({ seq, data }: Printed): void {
    this.#last = seq;
    this.#pending += data.text;
    if (this.#pending.length > BIG) this.#digest();
  }

  #digest(): void {
    this.#hash ??= createHash("sha256").update('"');
    const inner = JSON.stringify(this.#pending).slice(1, -1);
    this.#hash.update(inner);
    this.#length += inner.length;
    this.#pending = "";
  }

  /** Its name, and how long it is as JSON; nothing where it is short. */
  end(
    stream: string,
    key: string,
  ): { readonly digest: string; readonly name: string; readonly length: number } | undefined {
    if (!this.#hash) return undefined;
    this.#digest();
    const digest = this.#hash.update('"').digest("hex");
    return { digest, name: `printed:${this.#first}-${this.#last}:${stream}:${digest}:${key}`, length: this.#length };
  }
}

/** Looks for outputs in what was printed, while a run is written. */
export class PrintedTexts {
  readonly #open = new Map<string, OpenStream>();
  readonly #known = new Map<string, { readonly name: string; readonly length: number }>();

  /** To be called with each event before it is written. */
  see(event: RunEvent): void {
    if (event.type === "script_output") this.#add(event);
    else if (event.type === "script_completed" || event.type === "script_failed") this.#end(event.data.key);
  }

  #add(event: Printed): void {
    const { key, stream } = event.data;
    if (key === undefined) return;
    const place = `${stream}:${key}`;
    const open = this.#open.get(place) ?? new OpenStream(event);
    open.add(event);
    this.#open.set(place, open);
  }

  #end(key: string | undefined): void {
    if (key === undefined || this.#open.size === 0) return;
    for (const stream of ["stdout", "stderr"]) {
      const ended = this.#open.get(`${stream}:${key}`)?.end(stream, key);
      this.#open.delete(`${stream}:${key}`);
      if (ended) this.#known.set(ended.digest, ended);
    }
    for (const digest of this.#known.keys()) {
      if (this.#known.size <= MOST_KNOWN) break;
      this.#known.delete(digest);
    }
  }

  /** The name of a text of JSON, if it was printed. */
  nameOf(text: string): string | undefined {
    for (const { length } of this.#known.values())
      if (length === text.length) return this.#known.get(contentHash(text))?.name;
    return undefined;
  }
}

/** The text of that name, as JSON. `rowsOf`: the rows that hold the events from one number to another. */
export function printedText(
  name: string,
  rowsOf: (first: number, last: number) => Iterable<{ readonly first_seq: number; readonly data: string }>,
  fetch: Fetch,
  place: string,
): string {
  const [, first, last, stream, digest, key] = NAME.exec(name) ?? [];
  const pieces: string[] = [];
  const hash = createHash("sha256").update('"');
  for (const { first_seq, data } of rowsOf(Number(first), Number(last)))
    for (const [index, entry] of (JSON.parse(data) as readonly (readonly [string, Printed["data"]])[]).entries()) {
      const [type, printed] = entry;
      const seq = first_seq + index;
      if (type !== "script_output" || seq < Number(first) || seq > Number(last)) continue;
      if (printed.key === key && printed.stream === stream)
        pieces.push(JSON.stringify(fetchBig(printed, fetch).text).slice(1, -1));
    }
  for (const piece of pieces) hash.update(piece);
  if (hash.update('"').digest("hex") === digest) return `"${pieces.join("")}"`;
  throw new StoreError(
    "corrupt",
    `${place} is damaged: what a script printed is not there as it was recorded. A resume that is forced runs its steps again.`,
    place,
  );
}
