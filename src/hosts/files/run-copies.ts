// `events.jsonl` and `errors.jsonl` of a run on this machine: copies of what its journal holds, for other programs.
import { join } from "node:path";
import type { Exported, Lines } from "../run-log.ts";
import { LineFile } from "./line-file.ts";
import { makeFolder } from "./private-files.ts";

/** The number of an exported event; 0 for what is none. */
function seqOf(line: string): number {
  try {
    return line === "" ? 0 : (JSON.parse(line) as { seq: number }).seq;
  } catch {
    return 0;
  }
}

export class RunCopies {
  readonly folder: string;
  readonly #whileOurs: (write: () => void) => void;
  readonly #events: LineFile;
  readonly #errors: LineFile;
  readonly #buffer: ExportBuffer;
  #isMade = false;

  /** `whileOurs`: writes, unless another process has the run by now and adds what is missing itself. */
  constructor(folder: string, whileOurs: (write: () => void) => void = (write) => write()) {
    this.folder = folder;
    this.#whileOurs = whileOurs;
    this.#events = new LineFile(join(folder, "events.jsonl"));
    this.#errors = new LineFile(join(folder, "errors.jsonl"));
    this.#buffer = new ExportBuffer((lines) => this.#append(this.#events, lines));
  }

  #append(file: LineFile, lines: string): void {
    this.#whileOurs(() => {
      this.#make();
      file.append(lines);
    });
  }

  /** A process that only follows a run has no folder of it yet. */
  #make(): void {
    if (this.#isMade) return;
    makeFolder(this.folder);
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
    else this.#timer ??= setTimeout(() => this.#flushQuietly(), AT_MOST_MS).unref();
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

  #flushQuietly(): void {
    try {
      this.flush();
    } catch {
      // No caller here could handle it. The lines are kept, and the next call of `flush` throws.
    }
  }
}
