// `events.jsonl` and `errors.jsonl` of a run on this machine: copies of what its journal holds, for other programs.
import { closeSync, fstatSync, ftruncateSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, openOwnFile, writeWhole } from "../private-files.ts";
import type { Exported, Lines } from "../run-log.ts";
import { guarded, ignoringErrors } from "./guarded.ts";

/** The number of an exported event; 0 for what is none. */
function seqOf(line: string): number {
  try {
    return line === "" ? 0 : (JSON.parse(line) as { seq: number }).seq;
  } catch {
    return 0;
  }
}

export class RunCopies {
  readonly #events: LineFile;
  readonly #errors: LineFile;
  readonly #buffer = new ExportBuffer((lines) => this.#append(this.#events, lines));
  #isMade = false;

  /** `whileOurs`: writes, unless another process has the run by now and adds what is missing itself. */
  constructor(
    readonly folder: string,
    private readonly whileOurs: (write: () => void) => void = (write) => write(),
  ) {
    this.#events = new LineFile(join(folder, "events.jsonl"));
    this.#errors = new LineFile(join(folder, "errors.jsonl"));
  }

  #append(file: LineFile, lines: string): void {
    this.whileOurs(() => {
      this.#make();
      file.append(lines);
    });
  }

  /** A process that only follows a run has no folder of it yet. */
  #make(): void {
    if (!this.#isMade) makeFolder(this.folder);
    this.#isMade = true;
  }

  exportEvents(lines: Lines, length: number): void {
    this.#buffer.add(lines, length);
  }

  /** `journalLast`: the number of the newest event that is recorded. */
  exported(journalLast: number): Exported {
    this.#make();
    const lastSeq = seqOf(this.#events.lastLine());
    if (lastSeq <= journalLast) return { lastSeq, lost: 0 };
    this.#events.keepWhile((line) => seqOf(line) <= journalLast);
    return { lastSeq: seqOf(this.#events.lastLine()), lost: lastSeq - journalLast };
  }

  appendErrors(line: string): void {
    this.#append(this.#errors, line);
  }

  flush(): void {
    this.#buffer.flush();
  }

  close(): void {
    try {
      this.#buffer.flush();
    } finally {
      this.#events.close();
      this.#errors.close();
    }
  }
}

// Lines on their way to `events.jsonl`. They are a copy for other programs, so they are gathered, and made and written now
// and then, not between two steps.

const ENOUGH = 64 * 1024;
const AT_MOST_MS = 200;

class ExportBuffer {
  #waiting: Lines[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly write: (lines: string) => void) {}

  /** `length`: about how long the lines will be. */
  add(lines: Lines, length: number): void {
    this.#waiting.push(lines);
    this.#length += length;
    if (this.#length >= ENOUGH) this.flush();
    // No caller here could handle an error: the lines are kept, and the next call of `flush` throws.
    else this.#timer ??= setTimeout(() => ignoringErrors(() => this.flush()), AT_MOST_MS).unref();
  }

  /** Writes what waits; what cannot be written is kept for the next time, and the caller gets the error. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#length === 0) return;
    let text = "";
    for (const lines of this.#waiting) text += lines();
    this.write(text);
    this.#waiting = [];
    this.#length = 0;
  }
}

const CHUNK = 64 * 1024;

/** The end of the last whole line that begins before `size`, and that line. */
function lastLine(file: number, size: number): { readonly end: number; readonly text: string } {
  let tail = Buffer.alloc(0);
  for (let from = size; from > 0; ) {
    const length = Math.min(CHUNK, from);
    from -= length;
    const chunk = Buffer.alloc(length);
    readSync(file, chunk, 0, length, from);
    tail = Buffer.concat([chunk, tail]);
    const end = tail.lastIndexOf(10);
    const start = end > 0 ? tail.lastIndexOf(10, end - 1) : -1;
    if (end >= 0 && (start >= 0 || from === 0))
      return { end: from + end + 1, text: tail.toString("utf8", start + 1, end) };
  }
  return { end: 0, text: "" };
}

/** A file of JSON lines that only ever holds whole lines: what a crash or a full disk cut off is taken back. */
export class LineFile {
  #file: number | undefined;
  #size = 0;
  #last = "";

  constructor(private readonly path: string) {}

  #open(): number {
    if (this.#file !== undefined) return this.#file;
    const file = openOwnFile(this.path);
    const size = fstatSync(file).size;
    const { end, text } = lastLine(file, size);
    if (end < size) ftruncateSync(file, end);
    this.#size = end;
    this.#last = text;
    this.#file = file;
    return file;
  }

  /** The last line as it was when the file was opened; empty when there was none. */
  lastLine(): string {
    return guarded("reading what was exported", this.path, () => {
      this.#open();
      return this.#last;
    });
  }

  /** Takes back everything from the first line on that is not to be kept. */
  keepWhile(isKept: (line: string) => boolean): void {
    guarded("reading what was exported", this.path, () => {
      const file = this.#open();
      const lines = readFileSync(this.path, "utf8").split("\n").slice(0, -1);
      const first = lines.findIndex((line) => !isKept(line));
      if (first < 0) return;
      this.#size = Buffer.byteLength(lines.slice(0, first).join("\n")) + (first > 0 ? 1 : 0);
      this.#last = lines[first - 1] ?? "";
      ftruncateSync(file, this.#size);
    });
  }

  append(lines: string): void {
    const text = lines.endsWith("\n") ? lines : `${lines}\n`;
    guarded("appending to a file of a run", this.path, () => {
      const file = this.#open();
      try {
        this.#size += writeWhole(file, text);
      } catch (error) {
        ftruncateSync(file, this.#size);
        throw error;
      }
    });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
