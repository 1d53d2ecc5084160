// A file of JSON lines that only ever holds whole lines: what a crash or a full disk cut off is taken back.
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, readSync } from "node:fs";
import { guarded } from "./guarded.ts";
import { PRIVATE_FILE, writeWhole } from "./private-files.ts";

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

export class LineFile {
  #file: number | undefined;
  #size = 0;
  #last = "";

  constructor(private readonly path: string) {}

  #open(): number {
    if (this.#file !== undefined) return this.#file;
    const file = openSync(this.path, "a+", PRIVATE_FILE);
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

  /** Appends whole lines: all of them, or none. */
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
