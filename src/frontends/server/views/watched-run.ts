// One run that is being viewed: its state and its newest events, kept up with the journal. The journal is read once
// from its beginning and then only on; whatever is shown of it has passed the redactor and has its long values cut.
import { setImmediate } from "node:timers/promises";
import type { RunEvent } from "../../../base/events/registry.ts";
import { isRunEnd } from "../../../base/events/run-end.ts";
import { secretNamesIn } from "../../../base/events/secrets-in-events.ts";
import { apply, initialState } from "../../../base/events/state/fold.ts";
import type { RunState } from "../../../base/events/state/state.ts";
import { applyTaken, type TakenRoutes } from "../../../base/events/taken-routes.ts";
import type { Redactor } from "../../../base/redact/index.ts";
import { EventExit, learnSecrets, redactEvent } from "../../../base/results/index.ts";
import type { NodePath } from "../../../language/loaded.ts";
import { whoDrives } from "../../../services/reading/queued-run.ts";
import {
  beginsDrive,
  inStretches,
  learnKept,
  redactorBefore,
  requireSecrets,
} from "../../../services/reading/read-run.ts";
import { valueAt } from "../../../services/reading/report.ts";
import { orDamaged } from "../../../services/session/damage.ts";
import type { Session } from "../../../services/session/session.ts";
import type { RunReader } from "../../../storage/run-reader.ts";
import type { RunStore } from "../../../storage/store.ts";
import { cutLongValues, RunTail } from "./sent-events.ts";

/** What waits for readers who are slower than the run. */
const TAIL_BYTES = 1024 * 1024;
/** No event is so small that more of them fit in there: the sizes of earlier events are not needed. */
const TAIL_EVENTS = 10_000;
/** So many events are read before others get a turn. */
const AT_ONCE = 2000;
/** Cut values whose place is remembered. */
const MOST_CUT = 20_000;
/** About so many events apart, places are noted from which the log can be read on its own. */
const BETWEEN_ENTRIES = 1000;

export interface DriveMark {
  readonly drive: number;
  readonly seq: number;
  readonly began_at: string;
  ended_at: string | null;
  status: RunState["status"] | null;
}

/** Takes what scripts printed as it was recorded, with its secrets, in place of its being shown. */
export type OfPrinted = (event: RunEvent & { readonly type: "script_output" }) => void;

interface CutPlace {
  readonly seq: number;
  readonly path: NodePath;
}

export class WatchedRun {
  readonly runId: string;
  readonly state: RunState;
  readonly taken: TakenRoutes = new Map();
  readonly drives: DriveMark[] = [];
  readonly #exit: EventExit;
  readonly #tail = new RunTail(TAIL_BYTES);
  readonly #cut = new Map<string, CutPlace>();
  /** Numbers after which no script was in the middle of printing: what is read from there needs nothing before it. */
  readonly #entries: number[] = [0];
  readonly #met: Set<string>;
  /** A secret was found after events had been shown: one of them may hold it. */
  #hasLearnedLate = false;
  #hiddenInputs: readonly string[] = [];
  #position = 0;
  #isCutOff = false;
  #reading: Promise<void> | undefined;
  #waiting = new Set<() => void>();

  private constructor(
    private readonly store: RunStore,
    readonly reader: RunReader,
    readonly redactor: Redactor,
  ) {
    this.runId = reader.runId;
    this.redactor = redactor;
    this.state = initialState(reader.runId);
    this.#exit = new EventExit(redactor);
    const { secrets, shortSecrets } = redactor.metIn();
    this.#met = new Set([...secrets, ...shortSecrets]);
  }

  /** Reads the run to its present end. The caller closes it. */
  static async open(store: RunStore, runId: string, session: Pick<Session, "env">): Promise<WatchedRun> {
    const reader = await store.readRun(runId);
    try {
      const redactor = await orDamaged(store, runId, () => redactorBefore(reader, session));
      let run = new WatchedRun(store, reader, redactor);
      await run.catchUp();
      // A secret that was found late may have been printed early: read once more, with a redactor that knows it.
      if (run.#hasLearnedLate) {
        run = new WatchedRun(store, reader, redactor);
        await run.catchUp();
      }
      await requireSecrets(reader, run.#hiddenInputs);
      return run;
    } catch (problem) {
      await reader.close();
      throw problem;
    }
  }

  get position(): number {
    return this.#position;
  }

  /** Its process is gone and recorded no end, as of the last check. */
  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  get secretsKnown(): number {
    return this.#met.size;
  }

  /** An event that was shown once, without what has become known as a secret since. */
  hidden(event: RunEvent): RunEvent {
    return redactEvent(event, this.redactor);
  }

  /** Reads what is new. Those who ask at the same time wait for the same reading. */
  catchUp(): Promise<void> {
    this.#reading ??= orDamaged(this.store, this.runId, () => this.#readOn()).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    const before = this.#position;
    const last = await this.reader.lastSeq;
    if (last === before) return;
    await learnKept(this.reader, this.redactor);
    for await (const events of inStretches(this.reader.events(before), AT_ONCE)) {
      for (const event of events) if (event.seq <= last) this.#add(event, last);
      if (this.#position >= last) break;
      await setImmediate();
    }
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Checks whether a process still drives it: a process that was killed leaves no event. */
  async lookForDriver(): Promise<void> {
    const isCutOff = await this.#isLeft();
    if (isCutOff === this.#isCutOff) return;
    this.#isCutOff = isCutOff;
    this.#wakeAll();
  }

  async #isLeft(): Promise<boolean> {
    if (!(await whoDrives(this, this.store)).isCutOff) return false;
    // It may have ended since it was last read: then its driver went after that.
    await this.catchUp();
    return this.state.status === "running";
  }

  #add(event: RunEvent, last: number): void {
    learnSecrets(event, this.#secretSink);
    const shown = cutLongValues(this.#exit.pass(event), (name, path) => this.#keep(name, { seq: event.seq, path }));
    apply(this.state, shown);
    applyTaken(this.taken, shown);
    if (event.seq > last - TAIL_EVENTS) this.#tail.add(shown);
    else this.#tail.pass(event.seq);
    this.#position = event.seq;
    this.#markDrive(event);
    if (beginsDrive(event)) this.#hiddenInputs = secretNamesIn(event.data);
    if (event.seq - (this.#entries.at(-1) ?? 0) >= BETWEEN_ENTRIES && !this.#exit.isHolding)
      this.#entries.push(event.seq);
  }

  readonly #secretSink: Pick<Redactor, "learn"> = {
    learn: (secret, how) => {
      if (this.#met.has(secret)) return;
      this.#met.add(secret);
      this.#hasLearnedLate ||= this.#position > 0;
      this.redactor.learn(secret, how);
    },
  };

  #markDrive(event: RunEvent): void {
    const { seq, ts } = event;
    if (beginsDrive(event))
      this.drives.push({ drive: this.drives.length + 1, seq, began_at: ts, ended_at: null, status: null });
    const last = this.drives.at(-1);
    if (last && isRunEnd(event)) Object.assign(last, { ended_at: ts, status: this.state.status });
  }

  #keep(name: string, place: CutPlace): void {
    if (this.#cut.size < MOST_CUT) this.#cut.set(name, place);
  }

  /** The newest events after a number, up to so many bytes; nothing when they are not at hand any more. */
  tailAfter(position: number, mostBytes: number): readonly RunEvent[] | undefined {
    return this.#tail.after(position, mostBytes);
  }

  /** The first number after which the newest events are at hand. */
  get tailFrom(): number {
    return this.#tail.from;
  }

  /** The log after a number, read from the journal; `until` is the last that is wanted. */
  async *log(after: number, until: number, printed?: OfPrinted): AsyncIterable<RunEvent> {
    for await (const stretch of this.stretches(after, until, printed)) yield* stretch;
  }

  /** The same, many events at once: for reading all of a long run. */
  async *stretches(after: number, until: number, printed?: OfPrinted): AsyncIterable<readonly RunEvent[]> {
    const exit = new EventExit(this.redactor);
    for await (const events of inStretches(this.reader.events(this.#entryBefore(after)), AT_ONCE)) {
      const shown: RunEvent[] = [];
      for (const event of events) {
        if (event.seq > until) break;
        if (printed && event.type === "script_output") {
          if (event.seq > after) printed(event);
          continue;
        }
        const visible = exit.pass(event);
        if (event.seq > after) shown.push(cutLongValues(visible, () => {}));
      }
      yield shown;
      if ((events.at(-1)?.seq ?? 0) >= until) return;
      await setImmediate();
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
      return JSON.stringify(valueAt(new EventExit(this.redactor).pass(event).data, place.path));
    }
    return undefined;
  }

  /** Resolves as soon as it differs from what the caller knows, or when the signal aborts. */
  changed(known: Pick<WatchedRun, "position" | "isCutOff">, signal: AbortSignal): Promise<void> {
    const isOtherwise = this.#position > known.position || this.#isCutOff !== known.isCutOff;
    return isOtherwise ? Promise.resolve() : wokenIn(this.#waiting, signal);
  }

  async close(): Promise<void> {
    await this.#reading?.catch(() => {});
    this.#wakeAll();
    await this.reader.close();
  }
}

/** Resolves when it is woken with all that wait, or when the signal aborts. */
export const wokenIn = (waiting: Set<() => void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener("abort", wake, { once: true });
    if (signal.aborted) wake();
  });
