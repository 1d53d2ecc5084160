// The port on one process: events are numbered, written in one transaction before the next step begins, folded, and only
// then shown to anybody.

import { type BranchOptions, type Durable, type Timed, TimeLimit } from "../../engine/durable.ts";
import type { Answer, Asker, Progress, Question } from "../../engine/people/ask.ts";
import type { Recall } from "../../events/recall.ts";
import type { Emit, EventType, RunEvent } from "../../events/registry.ts";
import type { HostClock } from "../clock.ts";
import { slidingPool } from "./pool.ts";

/** Where a drive writes; a folder of the store, or memory. */
export interface DriveLog {
  readonly runId: string;
  readonly lastSeq: number;
  /** `dataTexts` are the events' data as JSON, so that nobody has to make them twice. */
  append(events: readonly RunEvent[], dataTexts: readonly string[]): void;
}

/** Answers that come from elsewhere: another process wrote them into the store. */
export interface AnswerBox {
  present(question: Question): void;
  get(key: string): Answer | undefined;
  close(key: string): void;
}

export interface DriveOptions {
  readonly log: DriveLog;
  readonly clock: HostClock;
  readonly recall: Recall;
  /** Told of events once they are written. */
  readonly written: (events: readonly RunEvent[], dataTexts: readonly string[]) => void;
  readonly ask?: Asker;
  readonly answers?: AnswerBox;
  readonly random?: () => number;
  /** Takes secrets out of what is told only to be read; the journal keeps no more of them than a resume needs. */
  readonly conceal?: (data: object) => object;
}

/** What no resume looks at: how a step was called. */
const ONLY_TOLD: ReadonlySet<EventType> = new Set([
  "script_started",
  "http_started",
  "mcp_started",
  "agent_prompt_rendered",
  "agent_tool_start",
]);

/** How long events may wait for the next step's transaction: what a running script prints should not wait for its end. */
const LINGER_MS = 40;
const POLL_MS = 250;
/** Steps that wait for nothing follow each other without end; so often signals and timers are heard in between. */
const BREATH_MS = 50;
/** A timer holds 24 days at most. */
const LONGEST_NAP_MS = 24 * 3600 * 1000;

export class Drive implements Durable {
  readonly runId: string;
  readonly recall: Recall;
  readonly #options: DriveOptions;
  readonly #random: () => number;
  #noted: RunEvent[] = [];
  #seq: number;
  #notedAt = Number.NaN;
  #timestamp = "";
  #breathedAt: number;
  readonly #texts = new WeakMap<object, string>();
  #lingering: NodeJS.Timeout | undefined;
  /** The first failure to write; nothing is run after it. */
  #broken: unknown;

  constructor(options: DriveOptions) {
    this.#options = options;
    this.runId = options.log.runId;
    this.recall = options.recall;
    this.#random = options.random ?? Math.random;
    this.#seq = options.log.lastSeq;
    this.#breathedAt = options.clock.now();
  }

  readonly note: Emit = <Type extends EventType>(path: readonly string[], type: Type, data: object) => {
    this.#seq += 1;
    const now = this.#options.clock.now();
    // Many events share a millisecond, and writing a date costs more than writing an event.
    if (now !== this.#notedAt) {
      this.#notedAt = now;
      this.#timestamp = new Date(now).toISOString();
    }
    const { conceal } = this.#options;
    const kept = conceal && ONLY_TOLD.has(type) ? conceal(data) : data;
    this.#noted.push({ seq: this.#seq, ts: this.#timestamp, type, run_id: this.runId, path, data: kept } as RunEvent);
    this.#lingering ??= setTimeout(this.#linger, LINGER_MS);
  };

  /** Scripts print while nobody commits; a failure to write is kept for whoever commits next. */
  readonly #linger = (): void => {
    this.#lingering = undefined;
    try {
      this.commit();
    } catch (problem) {
      this.#broken ??= problem;
    }
  };

  commit(): void {
    if (this.#broken) throw this.#broken;
    const events = this.#noted;
    if (events.length === 0) return;
    this.#noted = [];
    const texts: string[] = [];
    for (const { data } of events) texts.push(this.#text(data));
    try {
      this.#options.log.append(events, texts);
    } catch (problem) {
      this.#broken = problem;
      throw problem;
    }
    this.#options.written(events, texts);
  }

  /** Data that is frozen is told again and again; its text is made once. */
  #text(data: object): string {
    if (!Object.isFrozen(data)) return JSON.stringify(data);
    let text = this.#texts.get(data);
    if (text === undefined) {
      text = JSON.stringify(data);
      this.#texts.set(data, text);
    }
    return text;
  }

  /** Writes what is left and stops the timer. */
  end(): void {
    clearTimeout(this.#lingering);
    this.#lingering = undefined;
    this.commit();
  }

  /** Stops without writing: the store is broken, or another process has the run. */
  abandon(): void {
    clearTimeout(this.#lingering);
    this.#lingering = undefined;
    this.#noted = [];
  }

  step<Value>(run: () => Value | Promise<Value>): Timed<Value> | Promise<Timed<Value>> {
    this.commit();
    return this.timed(run);
  }

  timed<Value>(run: () => Value | Promise<Value>): Timed<Value> | Promise<Timed<Value>> {
    const { clock } = this.#options;
    const startedAt = clock.now();
    if (startedAt - this.#breathedAt > BREATH_MS) return this.#afterBreath(run);
    const value = run();
    if (value instanceof Promise) return this.#awaited(value, startedAt);
    return { value, startedAt, endedAt: clock.now(), dice: this.#random() };
  }

  async #awaited<Value>(running: Promise<Value>, startedAt: number): Promise<Timed<Value>> {
    const value = await running;
    return { value, startedAt, endedAt: this.#options.clock.now(), dice: this.#random() };
  }

  async #afterBreath<Value>(run: () => Value | Promise<Value>): Promise<Timed<Value>> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#breathedAt = this.#options.clock.now();
    return this.timed(run);
  }

  async sleepUntil(epochMs: number, signal: AbortSignal, atMostMs = Number.POSITIVE_INFINITY): Promise<void> {
    this.commit();
    const { clock } = this.#options;
    const left = (): number => epochMs - clock.now();
    // A laptop may have slept, so the clock is looked at again; it may have been set back, so it cannot make the wait longer.
    for (let most = Math.min(left(), atMostMs); most > 0 && left() > 0 && !signal.aborted; ) {
      const nap = Math.min(most, left(), LONGEST_NAP_MS);
      await clock.sleep(nap, signal);
      most -= nap;
    }
  }

  async ask(
    _path: readonly string[],
    question: Question,
    signal: AbortSignal,
    progress?: Progress,
  ): Promise<Answer | undefined> {
    this.commit();
    const { ask, answers } = this.#options;
    answers?.present(question);
    const early = answers?.get(question.key);
    if (early) return early;
    if (!ask) return undefined;
    // Whoever answers first is heard; asking the others stops.
    const asking = new AbortController();
    const stop = (): void => asking.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const elsewhere = answers ? setInterval(() => answers.get(question.key) && asking.abort(), POLL_MS) : undefined;
    try {
      const answer = await ask(question, asking.signal, progress);
      const other = answers?.get(question.key);
      if (other) return other;
      if (answer) answers?.close(question.key);
      return answer;
    } finally {
      clearInterval(elsewhere);
      signal.removeEventListener("abort", stop);
    }
  }

  branches<Branch, End>(
    branches: readonly Branch[],
    body: (branch: Branch, signal: AbortSignal) => Promise<End>,
    options: BranchOptions<End>,
  ): Promise<readonly (End | undefined)[]> {
    return slidingPool(branches, body, options);
  }

  timeLimit(seconds: number | undefined, parent: AbortSignal): { readonly signal: AbortSignal; dispose(): void } {
    if (seconds === undefined) return { signal: parent, dispose: () => {} };
    const limit = new AbortController();
    const stop = (): void => limit.abort(parent.reason);
    if (parent.aborted) stop();
    else parent.addEventListener("abort", stop, { once: true });
    const cancel = this.#options.clock.after(seconds * 1000, () => limit.abort(new TimeLimit(seconds)));
    return {
      signal: limit.signal,
      dispose: () => {
        cancel();
        parent.removeEventListener("abort", stop);
      },
    };
  }
}
