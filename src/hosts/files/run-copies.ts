// `events.jsonl` and `errors.jsonl` of a run on this machine: copies of what its journal holds, for other programs.
import { join } from "node:path";
import type { Exported, Lines } from "../run-log.ts";
import { ExportBuffer } from "./export-buffer.ts";
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
