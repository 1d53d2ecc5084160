// The rows of what a process printed, wherever they are: a short text is here as a whole; of a long one the server
// sends the windows that the user looks at, and searches it.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { FoundRowsJson, PrintedRowsJson } from "../../server/contract/past.ts";
import { apiPath, get } from "../api/client.ts";

export interface FoundIn {
  readonly count: number;
  /** Their numbers, as many as can be stepped through. */
  readonly rows: readonly number[];
}

export interface PrintedRows {
  readonly rowCount: ReadonlySignal<number>;
  /** False while more may come. */
  readonly isAll: ReadonlySignal<boolean>;
  /** Changes when rows have come that were not there. */
  readonly version: ReadonlySignal<number>;
  /** Nothing while it is on its way. */
  row(index: number): string | undefined;
  /** The user looks at these rows. */
  want(from: number, to: number): void;
  find(text: string): Promise<FoundIn>;
}

/** A text that is here. `seen` is a row without what a terminal obeys. */
export function rowsOfText(text: string, seen: (row: string) => string): PrintedRows {
  const rows = text.split("\n");
  if (rows.at(-1) === "") rows.pop();
  return {
    rowCount: signal(rows.length),
    isAll: signal(true),
    version: signal(0),
    row: (index) => rows[index],
    want: () => undefined,
    async find(wanted) {
      const lower = wanted.toLowerCase();
      const found = rows.flatMap((row, index) => (seen(row).toLowerCase().includes(lower) ? [index] : []));
      return { count: found.length, rows: found };
    },
  };
}

export interface PrintedAddress {
  readonly run: string;
  readonly key: string;
  readonly attempt: number;
  readonly drive: number;
  readonly stream: "stdout" | "stderr";
}

const WINDOW = 200;
const MOST_WINDOWS = 60;

/** One that is on the server. */
export class ServedRows implements PrintedRows {
  readonly rowCount = signal(0);
  readonly isAll = signal(false);
  readonly version = signal(0);
  readonly source = signal<PrintedRowsJson["source"]>("file");
  readonly problem = signal<string | null>(null);
  readonly #leaving = new AbortController();
  /** By the number of the window; those that were used last are last. */
  readonly #windows = new Map<number, readonly string[]>();
  readonly #asked = new Set<number>();

  constructor(private readonly address: PrintedAddress) {}

  stop(): void {
    this.#leaving.abort();
  }

  row(index: number): string | undefined {
    return this.#windows.get(Math.floor(index / WINDOW))?.[index % WINDOW];
  }

  want(from: number, to: number): void {
    for (let window = Math.floor(from / WINDOW); window * WINDOW <= to; window++) {
      const known = this.#windows.get(window);
      const whole = Math.min(WINDOW, this.rowCount.peek() - window * WINDOW);
      if (known && known.length >= whole) this.#use(window, known);
      else void this.#ask(window);
    }
  }

  /** Asks whether there is more by now. */
  readonly lookAgain = (): void => {
    void this.#ask(Math.floor(this.rowCount.peek() / WINDOW));
  };

  async #ask(window: number): Promise<void> {
    if (this.#asked.has(window)) return;
    this.#asked.add(window);
    try {
      const { run, ...query } = this.address;
      const answer = await get<PrintedRowsJson>(
        apiPath("runs", run, "printed"),
        { ...query, from: window * WINDOW, limit: WINDOW },
        this.#leaving.signal,
      );
      if (answer.rows.length > 0) this.#use(window, answer.rows);
      this.rowCount.value = answer.row_count;
      this.isAll.value = answer.is_all;
      this.source.value = answer.source;
      this.problem.value = null;
      this.version.value += 1;
    } catch (error) {
      if (!this.#leaving.signal.aborted) this.problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      this.#asked.delete(window);
    }
  }

  #use(window: number, rows: readonly string[]): void {
    this.#windows.delete(window);
    this.#windows.set(window, rows);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MOST_WINDOWS && oldest !== undefined) this.#windows.delete(oldest);
  }

  find(text: string): Promise<FoundIn> {
    const { run, ...query } = this.address;
    return get<FoundRowsJson>(apiPath("runs", run, "printed", "found"), { ...query, text }, this.#leaving.signal);
  }
}
