// Lines on their way to `events.jsonl`. They are a copy for other programs, so they are gathered and written now and then.
import type { LineFile } from "./line-file.ts";

const ENOUGH = 64 * 1024;
const AT_MOST_MS = 200;

export class ExportBuffer {
  readonly #file: LineFile;
  #waiting: string[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: LineFile) {
    this.#file = file;
  }

  /** Whole lines, each with its end. */
  add(lines: string): void {
    this.#waiting.push(lines);
    this.#length += lines.length;
    if (this.#length >= ENOUGH) this.flush();
    else this.#timer ??= setTimeout(() => this.#flushQuietly(), AT_MOST_MS).unref();
  }

  /** Writes what waits; what cannot be written is kept for the next time, and the caller is told. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#length === 0) return;
    this.#file.append(this.#waiting.join(""));
    this.#waiting = [];
    this.#length = 0;
  }

  #flushQuietly(): void {
    try {
      this.flush();
    } catch {
      // There is nobody to tell here; the lines still wait, and the next call of `flush` says so.
    }
  }
}
