// What processes printed, for reading and searching: a few outputs are kept at hand, the others are read again.
import { refusal } from "../../refusals.ts";
import { visitFold } from "../step-visits.ts";
import type { WatchedRun } from "../watched-run.ts";
import { PrintedOutput } from "./printed-output.ts";
import { type PrintedBy, type StreamName, spillOf } from "./printed-source.ts";

const MOST_AT_HAND = 6;

export interface PrintedWanted {
  /** Of the visit. */
  readonly key: string;
  readonly attempt: number;
  readonly drive: number;
  readonly stream: StreamName;
}

export interface RowsWanted extends PrintedWanted {
  readonly from: number;
  readonly limit: number;
}

export interface TextWanted extends PrintedWanted {
  readonly text: string;
}

export class PrintedOutputs {
  readonly #atHand = new Map<string, Promise<PrintedOutput>>();

  async rows(run: WatchedRun, { from, limit, ...wanted }: RowsWanted) {
    const printed = await printedBy(run, wanted);
    const output = await this.#output(run, wanted, printed);
    const { rows, ...now } = await output.window(printed, from, limit);
    // Once more: what was read early may hold what became known as a secret later.
    const shown = rows.map((row) => run.redactor.text(row));
    return { ...now, from, rows: shown, source: output.isSpilled ? "file" : "log" };
  }

  async find(run: WatchedRun, { text, ...wanted }: TextWanted) {
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

/** What the run's past says of an attempt that printed. */
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
    ...{ key, attempt, stream },
    from: found.began?.seq ?? found.ended?.seq ?? 1,
    to: found.ended?.seq ?? (isOver ? (later[0]?.began?.seq ?? run.position) : null),
    isOverwritten: later.some((one) => one.number === attempt),
  };
}
