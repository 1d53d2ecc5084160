// What one stream of one attempt printed, read on while it is being viewed. A long one is read in the background: a
// request gets what is there, and whether that is all.
import { setTimeout as pause, setImmediate } from "node:timers/promises";
import type { WatchedRun } from "../watched-run.ts";
import { fromLog, fromSpill, type PrintedBy, type PrintedSource, spillOf } from "./printed-source.ts";
import { type FoundRows, PrintedText } from "./printed-text.ts";

/** How long a request waits for rows that are not read yet. */
const PATIENCE_MS = 400;

export interface PrintedNow {
  readonly row_count: number;
  /** False: more is being read, or will be printed. */
  readonly is_all: boolean;
}

export class PrintedOutput {
  /** Whether it is read from the file that has all of it. */
  readonly isSpilled: boolean;
  readonly #text: PrintedText;
  readonly #source: PrintedSource;
  #printed: PrintedBy;
  #isAtEnd = false;
  #isClosed = false;
  #reading: Promise<void> | undefined;
  readonly #waiting = new Set<() => void>();

  private constructor(run: WatchedRun, printed: PrintedBy, spill: string | undefined, text: PrintedText) {
    this.#printed = printed;
    this.#text = text;
    this.isSpilled = spill !== undefined;
    const now = (): PrintedBy => this.#printed;
    this.#source = spill === undefined ? fromLog(run, now) : fromSpill(spill, run, now);
  }

  static async open(run: WatchedRun, printed: PrintedBy): Promise<PrintedOutput> {
    return new PrintedOutput(run, printed, await spillOf(run, printed), await PrintedText.make());
  }

  /** Rows from a number on. `printed`: what is known of the attempt by now. */
  async window(
    printed: PrintedBy,
    from: number,
    limit: number,
  ): Promise<PrintedNow & { readonly rows: readonly string[] }> {
    await this.#readUntil(printed, () => this.#text.rowCount >= from + limit);
    return { ...this.#now(), rows: await this.#text.rows(from, limit) };
  }

  /** `hide` takes out of a row what has become known as a secret since it was read. */
  async find(printed: PrintedBy, text: string, hide: (row: string) => string): Promise<PrintedNow & FoundRows> {
    await this.#readUntil(printed, () => false);
    return { ...this.#now(), ...(await this.#text.find(text, hide)) };
  }

  #now(): PrintedNow {
    return { row_count: this.#text.rowCount, is_all: this.#isAtEnd && this.#printed.to !== null };
  }

  /** Reads on in the background, and waits a moment for enough of it. */
  async #readUntil(printed: PrintedBy, isEnough: () => boolean): Promise<void> {
    this.#printed = printed;
    this.#reading ??= this.#begin();
    const reading = this.#reading;
    const tooLong = AbortSignal.timeout(PATIENCE_MS);
    while (!this.#isAtEnd && !this.#isClosed && !isEnough() && !tooLong.aborted)
      await Promise.race([reading, this.#progress(), pause(PATIENCE_MS, undefined, { ref: false })]);
  }

  #begin(): Promise<void> {
    this.#isAtEnd = false;
    const reading = this.#readOn().finally(() => {
      this.#reading = undefined;
      this.#wake();
    });
    // Callers that wait for it get the error.
    reading.catch(() => {});
    return reading;
  }

  #progress(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  async #readOn(): Promise<void> {
    while (!this.#isClosed) {
      const piece = await this.#source.next();
      if (piece === undefined) {
        this.#isAtEnd = true;
        return;
      }
      await this.#text.add(piece);
      this.#wake();
      await setImmediate();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reading?.catch(() => {});
    await this.#source.close();
    await this.#text.close();
  }
}
