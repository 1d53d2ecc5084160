// One run that somebody looks at: its state and its newest events, kept up with the journal. The journal is read once from
// its beginning and then only on; whatever is shown of it has passed the redactor and has its long values cut.
import { setImmediate } from "node:timers/promises";
import { apply, initialState } from "../../events/fold.ts";
import type { RunEvent } from "../../events/registry.ts";
import type { RunState } from "../../events/state.ts";
import { applyTaken, type TakenRoutes } from "../../events/taken-routes.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Redactor } from "../../redact/index.ts";
import { EventExit } from "../../results/index.ts";
import { orDamaged } from "../damage.ts";
import { newEvents, redactorFor } from "../read-run.ts";
import type { Surroundings } from "../request.ts";
import { cutLongValues, type ValuePath, valueIn } from "./cut.ts";
import { RunTail, type ShownEvent } from "./run-tail.ts";

/** What waits for readers who are slower than the run. */
const TAIL_BYTES = 1024 * 1024;
/** So many events are read before others get a turn. */
const AT_ONCE = 2000;
/** Cut values whose place is remembered. */
const MOST_CUT = 20_000;
/** About so many events apart, places are noted from which the log can be read on its own. */
const BETWEEN_ENTRIES = 1000;

/** One process's stretch of the run. */
export interface DriveMark {
  readonly drive: number;
  readonly seq: number;
  readonly began_at: string;
  ended_at: string | null;
  status: RunState["status"] | null;
}

interface CutPlace {
  readonly seq: number;
  readonly path: ValuePath;
}

export class WatchedRun {
  readonly runId: string;
  readonly reader: RunReader;
  readonly redactor: Redactor;
  readonly state: RunState;
  readonly taken: TakenRoutes = new Map();
  readonly drives: DriveMark[] = [];
  readonly #store: RunStore;
  readonly #exit: EventExit;
  readonly #tail = new RunTail(0, TAIL_BYTES);
  readonly #cut = new Map<string, CutPlace>();
  /** Numbers after which no script was in the middle of printing: what is read from there needs nothing before it. */
  readonly #entries: number[] = [0];
  #position = 0;
  #reading: Promise<void> | undefined;
  #waiting = new Set<() => void>();

  private constructor(store: RunStore, reader: RunReader, redactor: Redactor) {
    this.#store = store;
    this.reader = reader;
    this.runId = reader.runId;
    this.redactor = redactor;
    this.state = initialState(reader.runId);
    this.#exit = new EventExit(redactor);
  }

  /** Reads the run to its present end. Whoever opens it closes it. */
  static async open(store: RunStore, runId: string, surroundings: Pick<Surroundings, "env">): Promise<WatchedRun> {
    const reader = await store.readRun(runId);
    try {
      // All of its secrets first: one that is found late may have been printed early.
      const redactor = await orDamaged(store, runId, () => redactorFor(reader, surroundings));
      const run = new WatchedRun(store, reader, redactor);
      await run.catchUp();
      return run;
    } catch (problem) {
      await reader.close();
      throw problem;
    }
  }

  /** The number of the newest event that was read. */
  get position(): number {
    return this.#position;
  }

  /** Reads what is new. Those who ask at the same time wait for the same reading. */
  catchUp(): Promise<void> {
    this.#reading ??= orDamaged(this.#store, this.runId, () => this.#readOn()).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    const before = this.#position;
    if ((await this.reader.lastSeq) === before) return;
    let read = 0;
    for await (const event of newEvents(this.reader, before, this.redactor)) {
      for (const shown of shownOf(event, this.#exit)) {
        const cut = cutLongValues(shown, (name, path) => this.#keep(name, { seq: event.seq, path }));
        apply(this.state, cut);
        applyTaken(this.taken, cut);
        this.#tail.add({ position: event.seq, event: cut });
      }
      this.#position = event.seq;
      this.#markDrive(event);
      if (event.seq - (this.#entries.at(-1) ?? 0) >= BETWEEN_ENTRIES && !this.#exit.isHolding)
        this.#entries.push(event.seq);
      if (++read % AT_ONCE === 0) await setImmediate();
    }
    // A held-back chunk carries an earlier number.
    this.state.seq = this.#position;
    for (const wake of [...this.#waiting]) wake();
  }

  #markDrive({ type, seq, ts }: RunEvent): void {
    if (type === "workflow_started" || type === "run_resumed")
      this.drives.push({ drive: this.drives.length + 1, seq, began_at: ts, ended_at: null, status: null });
    const last = this.drives.at(-1);
    if (last && ENDINGS.has(type)) Object.assign(last, { ended_at: ts, status: this.state.status });
  }

  #keep(name: string, place: CutPlace): void {
    if (this.#cut.size < MOST_CUT) this.#cut.set(name, place);
  }

  /** The newest events after a number, up to so many bytes; nothing when they are not at hand any more. */
  tailAfter(position: number, mostBytes: number): readonly ShownEvent[] | undefined {
    return this.#tail.after(position, mostBytes);
  }

  /** The first number after which the newest events are at hand. */
  get tailFrom(): number {
    return this.#tail.from;
  }

  /** The log after a number, read from the journal; `until` is the last that is wanted. */
  async *log(after: number, until = this.#position): AsyncIterable<ShownEvent> {
    const exit = new EventExit(this.redactor);
    let read = 0;
    for await (const event of this.reader.events(this.#entryBefore(after))) {
      if (event.seq > until) return;
      for (const shown of shownOf(event, exit))
        if (event.seq > after) yield { position: event.seq, event: cutLongValues(shown, () => {}) };
      if (++read % AT_ONCE === 0) await setImmediate();
    }
  }

  #entryBefore(after: number): number {
    return this.#entries.findLast((entry) => entry <= after) ?? 0;
  }

  /** The JSON text of a value that was cut somewhere. */
  async wholeValue(name: string): Promise<string | undefined> {
    const place = this.#cut.get(name);
    if (!place) return undefined;
    for await (const event of this.reader.events(place.seq - 1)) {
      const shown = shownOf(event, new EventExit(this.redactor)).at(-1);
      return shown && JSON.stringify(valueIn(shown, place.path));
    }
    return undefined;
  }

  /** Resolves as soon as something was read after that number, or when the signal aborts. */
  changed(position: number, signal: AbortSignal): Promise<void> {
    if (this.#position > position || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  async close(): Promise<void> {
    await this.#reading?.catch(() => {});
    for (const wake of [...this.#waiting]) wake();
    await this.reader.close();
  }
}

/** What the run's end leaves of a script's words comes before the end itself. */
function shownOf(event: RunEvent, exit: EventExit): readonly RunEvent[] {
  return ENDINGS.has(event.type) ? [...exit.rest(), ...exit.pass(event)] : exit.pass(event);
}

const ENDINGS: ReadonlySet<RunEvent["type"]> = new Set([
  "workflow_completed",
  "workflow_failed",
  "run_paused",
  "run_cancelled",
]);
