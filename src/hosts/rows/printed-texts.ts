// What a script prints is recorded as it comes, and once more in its output. A long output that is what was printed is not
// kept again: its name says which events hold it, and a reader puts it together from them.
import { createHash, type Hash } from "node:crypto";
import type { RunEvent } from "../../events/registry.ts";
import { StoreError } from "../store-error.ts";
import { contentHash } from "./kept-text.ts";
import { BIG, type Fetch, fetchBig } from "./spill.ts";

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
  /** By digest. */
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
