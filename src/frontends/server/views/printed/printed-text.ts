// The text of a stream: pieces of it without secrets, from the file beside the journal or from the log, and its rows,
// which lie in a file of their own, not in memory: a script may print gigabytes.
import { mkdtempSync, rmSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { setImmediate } from "node:timers/promises";
import { printedIn } from "../../../../base/events/secrets-in-events.ts";
import { hasUnseen, seeThrough } from "../../../../base/redact/see-through.ts";
import { HIDDEN_MARK, SPILL_FOLDER, type SpillingAttempt, spillName } from "../../../../steps/process/spill-file.ts";
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

/** A line that is longer is several rows: no browser draws a line of megabytes. */
export const LONGEST_ROW = 8 * 1024;
/** So many rows apart, places in the file are noted. */
const BETWEEN_MARKS = 256;
const MOST_FOUND = 50_000;

export class PrintedText {
  /** Where each 256th row begins in the file. */
  readonly #marks: number[] = [0];
  /** Rows that go on with the line of the row before. */
  readonly #continued = new Set<number>();
  #rows = 0;
  #bytes = 0;
  /** The beginning of a row whose end has not come yet. */
  #rest = "";

  private constructor(
    private readonly file: FileHandle,
    private readonly folder: string,
  ) {}

  static async make(): Promise<PrintedText> {
    const folder = mkdtempSync(join(tmpdir(), "segno-printed-"));
    const path = join(folder, "text");
    const text = new PrintedText(await open(path, "wx+", 0o600), folder);
    // Without a name no other process reads it, and nothing is left of it when this process ends. Some systems refuse.
    rmSync(path, { force: true });
    return text;
  }

  get rowCount(): number {
    return this.#rows + (this.#rest === "" ? 0 : 1);
  }

  async add(text: string): Promise<void> {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    const rows: string[] = [];
    for (const line of lines) rows.push(this.#lastRow(line, rows));
    this.#rest = this.#lastRow(this.#rest, rows);
    await this.#write(rows);
  }

  /** Puts what is before the last row of a long line into rows of its own. */
  #lastRow(line: string, rows: string[]): string {
    let from = 0;
    for (; line.length - from > LONGEST_ROW; from += LONGEST_ROW) {
      rows.push(line.slice(from, from + LONGEST_ROW));
      this.#continued.add(this.#rows + rows.length);
    }
    return line.slice(from);
  }

  async #write(rows: readonly string[]): Promise<void> {
    if (rows.length === 0) return;
    const parts: Buffer[] = [];
    let [count, bytes] = [this.#rows, this.#bytes];
    for (const row of rows) {
      const part = Buffer.from(`${row}\n`);
      parts.push(part);
      bytes += part.length;
      if (++count % BETWEEN_MARKS === 0) this.#marks.push(bytes);
    }
    const whole = Buffer.concat(parts);
    for (let done = 0; done < whole.length; )
      done += (await this.file.write(whole, done, whole.length - done, this.#bytes + done)).bytesWritten;
    [this.#rows, this.#bytes] = [count, bytes];
  }

  /** Rows from a number on, as many as there are of so many. */
  async rows(from: number, limit: number): Promise<readonly string[]> {
    const until = Math.min(from + limit, this.rowCount);
    const rows: string[] = [];
    for (let block = Math.floor(from / BETWEEN_MARKS); rows.length < until - from; block++) {
      const first = block * BETWEEN_MARKS;
      const inBlock = await this.#block(block);
      rows.push(...inBlock.slice(Math.max(0, from - first), until - first));
      if (first + BETWEEN_MARKS >= until) break;
    }
    return rows;
  }

  /** How many rows hold a text, in capitals or not, as a reader sees them, and which: the first 50 000. */
  async find(text: string, hide: (row: string) => string) {
    const wanted = text.toLowerCase();
    const rows: number[] = [];
    let count = 0;
    // Of a line that goes on: a text may stand over the end of a row.
    let before = "";
    let rowBefore = "";
    const blocks = Math.ceil(this.rowCount / BETWEEN_MARKS);
    for (let block = 0; block < blocks; block++) {
      for (const [index, row] of (await this.#block(block)).entries()) {
        const number = block * BETWEEN_MARKS + index;
        const seen = seenRow(row).toLowerCase();
        const isIn = (this.#continued.has(number) ? before + seen : seen).includes(wanted);
        const whole = this.#continued.has(number) ? rowBefore + row : row;
        before = seen.slice(-wanted.length + 1 || seen.length);
        rowBefore = row;
        // Only of rows that seem to hold it: hiding takes long, and there may be millions.
        if (!isIn || !seenRow(hide(whole)).toLowerCase().includes(wanted)) continue;
        count += 1;
        if (rows.length < MOST_FOUND) rows.push(number);
      }
      if (block % 16 === 15) await setImmediate();
    }
    return { count, rows };
  }

  /** The rows between two marks; in the last of them also the one that is not whole yet. */
  async #block(block: number): Promise<readonly string[]> {
    const [from = this.#bytes, to = this.#bytes] = this.#marks.slice(block, block + 2);
    const bytes = Buffer.alloc(to - from);
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await this.file.read(bytes, done, bytes.length - done, from + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    const rows = bytes.toString().split("\n");
    rows.pop();
    const isLast = block === Math.floor(this.#rows / BETWEEN_MARKS);
    return isLast && this.#rest !== "" ? [...rows, this.#rest] : rows;
  }

  async close(): Promise<void> {
    await this.file.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Without what a terminal does not show, from its last return on. The page draws rows by the same rule. */
function seenRow(row: string): string {
  if (!hasUnseen(row)) return row;
  const line = row.replace(/\r+$/, "");
  return seeThrough(line.slice(line.lastIndexOf("\r") + 1)).text;
}
