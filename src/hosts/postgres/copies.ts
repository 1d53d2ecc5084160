// `events.jsonl` and `errors.jsonl` of a run on this machine, for other programs. A worker keeps none: whoever follows a
// run has them.
import { join } from "node:path";
import { ExportBuffer } from "../embedded/export-buffer.ts";
import { LineFile } from "../embedded/line-file.ts";
import { makeFolder } from "../embedded/private-files.ts";
import type { Exported, Lines } from "../run-log.ts";

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
  readonly #isKept: boolean;
  readonly #events: LineFile;
  readonly #errors: LineFile;
  readonly #buffer: ExportBuffer;
  #isMade = false;

  constructor(folder: string, isKept: boolean) {
    this.folder = folder;
    this.#isKept = isKept;
    this.#events = new LineFile(join(folder, "events.jsonl"));
    this.#errors = new LineFile(join(folder, "errors.jsonl"));
    this.#buffer = new ExportBuffer((lines) => {
      this.#make();
      this.#events.append(lines);
    });
  }

  #make(): void {
    if (this.#isMade) return;
    makeFolder(this.folder);
    this.#isMade = true;
  }

  exportEvents(lines: Lines, length: number): void {
    if (this.#isKept) this.#buffer.add(lines, length);
  }

  /** `journalLast`: the number of the newest event that is recorded. */
  exported(journalLast: number): Exported {
    if (!this.#isKept) return { lastSeq: journalLast, lost: 0 };
    this.#make();
    const lastSeq = seqOf(this.#events.lastLine());
    if (lastSeq <= journalLast) return { lastSeq, lost: 0 };
    this.#events.keepWhile((line) => seqOf(line) <= journalLast);
    return { lastSeq: seqOf(this.#events.lastLine()), lost: lastSeq - journalLast };
  }

  appendErrors(line: string): void {
    if (!this.#isKept) return;
    this.#make();
    this.#errors.append(line);
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
