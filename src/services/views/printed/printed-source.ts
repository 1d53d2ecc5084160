// Where the text of a stream comes from: the file beside the journal when there is one, which holds all of it, otherwise the
// log, which holds its first 10 MiB. Both give it without secrets, a piece at a time.
import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { printedIn } from "../../../events/printed-text.ts";
import type { Redactor } from "../../../redact/index.ts";
import { MOST_IN_MEMORY } from "../../../steps/process/capture.ts";
import { HIDDEN_MARK, SPILL_FOLDER, type SpillingAttempt, spillName } from "../../../steps/process/spill-file.ts";
import type { WatchedRun } from "../watched-run.ts";

export type StreamName = "stdout" | "stderr";

export interface PrintedBy extends SpillingAttempt {
  readonly stream: StreamName;
  /** The event that began the attempt. */
  readonly from: number;
  /** The last event that can be of the attempt; null while it runs. */
  readonly to: number | null;
  /** Another attempt has written over its file. */
  readonly isOverwritten: boolean;
}

export interface PrintedSource {
  /** The next piece; nothing when there is no more for now. */
  next(): Promise<string | undefined>;
  close(): Promise<void>;
}

const PIECE = 64 * 1024;

/** The file with all of it, if it is here. One of another machine may hold secrets that are no longer known. */
export async function spillOf(run: WatchedRun, printed: PrintedBy): Promise<string | undefined> {
  if (printed.isOverwritten) return undefined;
  const folder = join(run.reader.folder, SPILL_FOLDER);
  const path = join(folder, spillName(printed, printed.stream));
  if (!(await isFile(path))) return undefined;
  const isUnsafe = (await run.reader.hasForgottenSecrets()) && !(await isFile(join(folder, HIDDEN_MARK)));
  return isUnsafe ? undefined : path;
}

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() === true;

export function fromSpill(path: string, run: WatchedRun, now: () => PrintedBy): PrintedSource {
  const decoder = new StringDecoder("utf8");
  const redacting = run.redactor.stream();
  const buffer = Buffer.alloc(PIECE);
  let file: FileHandle | undefined;
  let [place, isDone] = [0, false];
  return {
    async next() {
      if (isDone) return undefined;
      file ??= await open(path, "r");
      // Before it is read: what comes after the end of the process does not count.
      const isOver = now().to !== null;
      const { bytesRead } = await file.read(buffer, 0, PIECE, place);
      place += bytesRead;
      if (bytesRead > 0) return redacting.push(decoder.write(buffer.subarray(0, bytesRead)));
      if (!isOver) return undefined;
      isDone = true;
      return redacting.push(decoder.end()) + redacting.end();
    },
    close: async () => file?.close(),
  };
}

export function fromLog(run: WatchedRun, now: () => PrintedBy): PrintedSource {
  let place = now().from - 1;
  return {
    async next() {
      const { key, stream, to } = now();
      const until = Math.min(to ?? run.position, run.position);
      if (place >= until) return undefined;
      let text = "";
      for await (const stretch of run.stretches(place, until))
        for (const printed of stretch.flatMap(printedIn))
          if (printed.key === key && printed.stream === stream) text += textOf(printed.text);
      place = until;
      return text;
    },
    close: () => Promise.resolve(),
  };
}

/** A piece that was too long to be sent along stands as its beginning. */
const textOf = (text: unknown): string =>
  typeof text === "string" ? text : String((text as { preview?: unknown }).preview ?? "");

// The end of what a stream printed, as far as a panel shows it at once. It takes the chunks as they were recorded and
// hides secrets in the end alone: megabytes of output are not searched each time a user opens the step.

const SHOWN_CHARACTERS = 64 * 1024;
/** So much more is searched: a secret that begins before what is shown must be seen whole. */
const BEFORE = 64 * 1024;

export class PrintedTail {
  #chunks: string[] = [];
  #first = 0;
  #characters = 0;
  #bytes = 0;
  #firstSeq: number | null = null;
  #lastSeq: number | null = null;
  #isCut = false;

  add(text: string, seq: number): void {
    this.#chunks.push(text);
    this.#characters += text.length;
    this.#bytes += Buffer.byteLength(text);
    this.#firstSeq ??= seq;
    this.#lastSeq = seq;
    for (let oldest = this.#chunks[this.#first]; oldest !== undefined; oldest = this.#chunks[this.#first]) {
      if (this.#characters - oldest.length < SHOWN_CHARACTERS + BEFORE) break;
      this.#characters -= oldest.length;
      this.#first += 1;
      this.#isCut = true;
    }
    if (this.#first < 1000) return;
    this.#chunks = this.#chunks.slice(this.#first);
    this.#first = 0;
  }

  /** How much it was in all, once the process has ended: the log has the first 10 MiB. */
  count(bytes: number): void {
    if (bytes <= MOST_IN_MEMORY) return;
    this.#bytes = bytes;
    this.#isCut = true;
  }

  shown(redactor: Redactor) {
    const stream = redactor.stream();
    const text = stream.push(this.#chunks.slice(this.#first).join("")) + stream.end();
    return {
      text: text.slice(-SHOWN_CHARACTERS),
      bytes: this.#bytes,
      is_cut: this.#isCut || text.length > SHOWN_CHARACTERS,
      first_seq: this.#firstSeq,
      last_seq: this.#lastSeq,
    };
  }
}
