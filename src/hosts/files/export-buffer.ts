// Lines on their way to `events.jsonl`. They are a copy for other programs, so they are gathered, and made and written now
// and then, not between two steps.
import type { Lines } from "../run-log.ts";

const ENOUGH = 64 * 1024;
const AT_MOST_MS = 200;

export class ExportBuffer {
  readonly #write: (lines: string) => void;
  #waiting: Lines[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (lines: string) => void) {
    this.#write = write;
  }

  /** `length`: about how long the lines will be. */
  add(lines: Lines, length: number): void {
    this.#waiting.push(lines);
    this.#length += length;
    if (this.#length >= ENOUGH) this.flush();
    else this.#timer ??= setTimeout(() => this.#flushQuietly(), AT_MOST_MS).unref();
  }

  /** Writes what waits; what cannot be written is kept for the next time, and the caller gets the error. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#length === 0) return;
    let text = "";
    for (const lines of this.#waiting) text += lines();
    this.#write(text);
    this.#waiting = [];
    this.#length = 0;
  }

  #flushQuietly(): void {
    try {
      this.flush();
    } catch {
      // No caller here could handle it. The lines are kept, and the next call of `flush` throws.
    }
  }
}
