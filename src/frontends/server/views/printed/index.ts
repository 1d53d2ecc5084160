// What processes printed, for reading and searching: a few outputs are kept at hand, the others are read again.

import { setTimeout as pause, setImmediate } from "node:timers/promises";
import { refusal } from "../../../../services/refusals.ts";
import { visitFold } from "../step-visits.ts";
import type { WatchedRun } from "../watched-run.ts";
import {
  fromLog,
  fromSpill,
  type PrintedBy,
  type PrintedSource,
  PrintedText,
  type StreamName,
  spillOf,
} from "./printed-text.ts";

const MOST_AT_HAND = 6;

export interface PrintedWanted {
  readonly key: string;
  readonly attempt: number;
  readonly drive: number;
  readonly stream: StreamName;
}

export class PrintedOutputs {
  readonly #atHand = new Map<string, Promise<PrintedOutput>>();

  async rows(
    run: WatchedRun,
    { from, limit, ...wanted }: PrintedWanted & { readonly from: number; readonly limit: number },
  ) {
    const printed = await printedBy(run, wanted);
    const output = await this.#output(run, wanted, printed);
    const { rows, ...now } = await output.window(printed, from, limit);
    // Once more: what was read early may hold what became known as a secret later.
    const shown = rows.map((row) => run.redactor.text(row));
    return { ...now, from, rows: shown, source: output.isSpilled ? "file" : "log" };
  }

  async find(run: WatchedRun, { text, ...wanted }: PrintedWanted & { readonly text: string }) {
    const printed = await printedBy(run, wanted);
    return (await this.#output(run, wanted, printed)).find(
      printed,
      text,
      // As in `rows`: a search finds only what is shown.
      (row) => run.redactor.text(row),
    );
  }

  async #output(run: WatchedRun, wanted: PrintedWanted, printed: PrintedBy): Promise<PrintedOutput> {
    const name = [run.runId, wanted.drive, wanted.attempt, wanted.stream, wanted.key].join("\n");
    const known = await this.#atHand.get(name);
    // A script that prints on and on has a file of its own from some moment on, with all of it.
    if (known && (known.isSpilled || (await spillOf(run, printed)) === undefined)) return this.#keep(name, known);
    if (known) this.#letGo(name);
    // Another request may have opened it meanwhile.
    return (await this.#atHand.get(name)) ?? this.#keep(name, PrintedOutput.open(run, printed));
  }

  /** As the one that was used last. */
  async #keep(name: string, output: PrintedOutput | Promise<PrintedOutput>): Promise<PrintedOutput> {
    const kept = Promise.resolve(output);
    this.#atHand.delete(name);
    this.#atHand.set(name, kept);
    const [oldest] = this.#atHand.keys();
    if (this.#atHand.size > MOST_AT_HAND && oldest !== undefined) this.#letGo(oldest);
    try {
      return await kept;
    } catch (problem) {
      this.#atHand.delete(name);
      throw problem;
    }
  }

  #letGo(name: string): void {
    const output = this.#atHand.get(name);
    this.#atHand.delete(name);
    // Readers that have it open may finish.
    setTimeout(() => output?.then((one) => one.close()).catch(() => {}), CLOSE_AFTER_MS).unref();
  }

  async close(): Promise<void> {
    const all = [...this.#atHand.values()];
    this.#atHand.clear();
    await Promise.allSettled(all.map(async (output) => (await output).close()));
  }
}

const CLOSE_AFTER_MS = 10_000;

async function printedBy(run: WatchedRun, { key, attempt, drive, stream }: PrintedWanted): Promise<PrintedBy> {
  const visit = (await visitFold(run)).visits.get(key);
  const index = visit?.attempts.findLastIndex((one) => one.number === attempt && one.drive === drive) ?? -1;
  const found = visit?.attempts[index];
  if (!visit || !found)
    throw refusal(`there is no attempt ${attempt} of ${key} in drive ${drive} of the run ${run.runId}`);
  const later = visit.attempts.slice(index + 1);
  const isOver = drive < run.state.drives || run.state.status !== "running" || later.length > 0;
  return {
    node: visit.node,
    key,
    attempt,
    stream,
    from: found.began?.seq ?? found.ended?.seq ?? 1,
    to: found.ended?.seq ?? (isOver ? (later[0]?.began?.seq ?? run.position) : null),
    isOverwritten: later.some((one) => one.number === attempt),
  };
}

// What one stream of one attempt printed, read on while it is being viewed. A long one is read in the background: a
// request gets what is there, and whether that is all.

/** How long a request waits for rows that are not read yet. */
const PATIENCE_MS = 400;

class PrintedOutput {
  /** Whether it is read from the file that has all of it. */
  readonly isSpilled: boolean;
  readonly #source: PrintedSource;
  #isAtEnd = false;
  #isClosed = false;
  #reading: Promise<void> | undefined;
  readonly #waiting = new Set<() => void>();

  private constructor(
    run: WatchedRun,
    private printed: PrintedBy,
    spill: string | undefined,
    private readonly text: PrintedText,
  ) {
    this.isSpilled = spill !== undefined;
    const now = (): PrintedBy => this.printed;
    this.#source = spill === undefined ? fromLog(run, now) : fromSpill(spill, run, now);
  }

  static async open(run: WatchedRun, printed: PrintedBy): Promise<PrintedOutput> {
    return new PrintedOutput(run, printed, await spillOf(run, printed), await PrintedText.make());
  }

  /** Rows from a number on. `printed`: what is known of the attempt by now. */
  async window(printed: PrintedBy, from: number, limit: number) {
    await this.#readUntil(printed, () => this.text.rowCount >= from + limit);
    return { ...this.#now(), rows: await this.text.rows(from, limit) };
  }

  /** `hide` takes out of a row what has become known as a secret since it was read. */
  async find(printed: PrintedBy, text: string, hide: (row: string) => string) {
    await this.#readUntil(printed, () => false);
    return { ...this.#now(), ...(await this.text.find(text, hide)) };
  }

  #now() {
    // What is not all: more is being read, or will be printed.
    return { row_count: this.text.rowCount, is_all: this.#isAtEnd && this.printed.to !== null };
  }

  async #readUntil(printed: PrintedBy, isEnough: () => boolean): Promise<void> {
    this.printed = printed;
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
      await this.text.add(piece);
      this.#wake();
      await setImmediate();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reading?.catch(() => {});
    await this.#source.close();
    await this.text.close();
  }
}
