// The port over any log: events are numbered, written in one transaction before the next step begins, folded, and only
// then shown to anybody. Where a log has written at once, nothing is waited for.

import type { Emit, EventType, RunEvent } from "../base/events/registry.ts";
import type { Recall } from "../base/events/visits/recall.ts";
import type {
  BranchBody,
  BranchOptions,
  Durable,
  SleepOptions,
  StepKind,
  Timed,
  UncountedTime,
} from "../engine/durable.ts";
import type { Fiber } from "../engine/fiber.ts";
import type { Answer, Asker, Asking, Question } from "../engine/people/ask.ts";
import type { SkippableWait } from "../steps/caller.ts";
import { eventsOfTypes } from "../steps/types.ts";
import { type AnswerBox, askedHere } from "./asking.ts";
import { AskingTime, timeLimit } from "./asking-time.ts";
import type { HostClock } from "./clock.ts";
import { DriveFiber } from "./fiber.ts";
import { OpenQuestions, type WaitOutcome } from "./open-questions.ts";
import { slidingPool } from "./pool.ts";
import { type DataText, textOfData } from "./rows/data-text.ts";
import { lengthOfLongTexts } from "./rows/spill.ts";
import type { RunLog } from "./run-log.ts";

// For services, which know of hosts only what lies here.
export { type DataText, isTooLong, textsOfData } from "./rows/data-text.ts";

/** Where a drive writes: a run of a store, or memory. */
export type DriveLog = Pick<
  RunLog,
  "runId" | "lastSeq" | "append" | "isElsewhere" | "assertLease" | "worker" | "shelve"
>;

export interface DriveOptions {
  readonly log: DriveLog;
  readonly clock: HostClock;
  readonly recall: Recall;
  readonly written: (events: readonly RunEvent[], dataTexts: readonly DataText[]) => void;
  readonly ask?: Asker;
  readonly answers?: AnswerBox;
  readonly random?: () => number;
  /** Takes secrets out of what no resume reads; the journal keeps no more of them than a resume needs. */
  readonly conceal?: (data: object) => object;
  /** What this is true of is not recorded: others have done that, or it is not going to happen. */
  readonly isSilent?: (type: EventType) => boolean;
  /** Begins a wait; left out: none can be ended before its time. */
  readonly beginWait?: () => SkippableWait;
}

const ONLY_FOR_READERS: ReadonlySet<EventType> = new Set(eventsOfTypes("onlyForReaders"));

/** How long events may wait for the next step's transaction: what a running script prints should not wait for its end. */
const LINGER_MS = 40;
/** So many events may be unwritten behind pure steps; more would be held in memory while a store is away. */
const MOST_BEHIND = 500;
/** Steps that wait for nothing follow each other without end; so often signals and timers are heard in between. */
const BREATH_MS = 50;
/** So many characters of large texts stay in memory: to read them back takes longer than to hold them. */
const MOST_HELD = 16 * 1024 * 1024;
/** A timer holds 24 days at most. */
const LONGEST_NAP_MS = 24 * 3600 * 1000;

export class Drive implements Durable {
  readonly runId: string;
  readonly recall: Recall;
  readonly fiber = new DriveFiber(undefined, () => this.#questions?.wake());
  readonly #questions: OpenQuestions | undefined;
  readonly #askingTime: AskingTime;
  readonly #random: () => number;
  #noted: RunEvent[] = [];
  /** Of other streams: the number of the last event that is among the noted. */
  #heard = new Map<string, number>();
  #seq: number;
  #notedAt = Number.NaN;
  #timestamp = "";
  #breathedAt: number;
  #held = 0;
  readonly #texts = new WeakMap<object, string>();
  #lingering: NodeJS.Timeout | undefined;
  /** A log that writes elsewhere takes one batch at a time. */
  #writing: Promise<void> | undefined;
  /** The first failure to write; nothing is run after it. */
  #broken: unknown;

  constructor(private readonly options: DriveOptions) {
    this.#askingTime = new AskingTime(options.clock);
    const { arrivals } = options.answers ?? {};
    this.#questions = arrivals && new OpenQuestions(arrivals, () => this.fiber.waitsFor);
    this.runId = options.log.runId;
    this.recall = options.recall;
    this.#random = options.random ?? Math.random;
    this.#seq = options.log.lastSeq;
    this.#breathedAt = options.clock.now();
  }

  readonly assertLease = (): undefined | Promise<void> =>
    this.options.log.assertLease()?.catch((problem: unknown) => {
      this.#broken ??= problem;
      throw problem;
    });

  readonly note: Emit = <Type extends EventType>(path: readonly string[], type: Type, data: object) => {
    if (this.options.isSilent?.(type)) return;
    this.#seq += 1;
    const now = this.options.clock.now();
    // Many events share a millisecond, and writing a date costs more than writing an event.
    if (now !== this.#notedAt) {
      this.#notedAt = now;
      this.#timestamp = new Date(now).toISOString();
    }
    const { conceal } = this.options;
    const kept = conceal && ONLY_FOR_READERS.has(type) ? conceal(data) : data;
    this.#noted.push({ seq: this.#seq, ts: this.#timestamp, type, run_id: this.runId, path, data: kept } as RunEvent);
    this.#lingering ??= setTimeout(this.#linger, LINGER_MS);
  };

  /** Takes over an event that a branch of the run has recorded in a stream of its own: it is written with the next commit. */
  adopt(event: RunEvent, stream: string): void {
    this.#seq += 1;
    this.#noted.push({ ...event, seq: this.#seq });
    this.#heard.set(stream, event.seq);
  }

  /** Scripts print between commits; an error of this write is kept and thrown at the next commit. */
  readonly #linger = (): void => {
    this.#lingering = undefined;
    try {
      this.commit()?.catch((problem: unknown) => {
        this.#broken ??= problem;
      });
    } catch (problem) {
      this.#broken ??= problem;
    }
  };

  commit(): undefined | Promise<void> {
    if (this.#broken) throw this.#broken;
    if (this.#writing) return this.#writing.then(() => this.commit());
    const events = this.#noted;
    if (events.length === 0) return undefined;
    const heard = this.#heard;
    this.#noted = [];
    if (heard.size > 0) this.#heard = new Map();
    const texts: DataText[] = [];
    for (const { data } of events) texts.push(this.#text(data));
    try {
      const { log } = this.options;
      const appending = heard.size > 0 ? log.append(events, texts, heard) : log.append(events, texts);
      if (appending) return this.#whenWritten(appending, events, texts);
    } catch (problem) {
      this.#broken = problem;
      throw problem;
    }
    this.options.written(events, texts);
    return undefined;
  }

  #whenWritten(appending: Promise<void>, events: readonly RunEvent[], texts: readonly DataText[]): Promise<void> {
    this.#writing = appending.then(
      () => {
        this.#writing = undefined;
        this.options.written(events, texts);
      },
      (problem: unknown) => {
        this.#writing = undefined;
        this.#broken = problem;
        throw problem;
      },
    );
    return this.#writing;
  }

  /** Data that is frozen is recorded again and again; its text is made once. */
  #text(data: object): DataText {
    if (!Object.isFrozen(data)) return textOfData(data);
    let text: DataText = this.#texts.get(data);
    if (text === undefined) {
      text = textOfData(data);
      if (text !== undefined) this.#texts.set(data, text);
    }
    return text;
  }

  /** Writes what is left and stops the timer. */
  end(): undefined | Promise<void> {
    clearTimeout(this.#lingering);
    this.#lingering = undefined;
    return this.commit();
  }

  /** Stops without writing, now and later: the store is broken, another process has the run, or is to have it. */
  abandon(): void {
    clearTimeout(this.#lingering);
    this.#lingering = undefined;
    this.#noted = [];
    this.#questions?.stop();
    this.#broken ??= new Error("the drive was left, and records nothing more");
  }

  get isAbandoned(): boolean {
    return this.#broken !== undefined;
  }

  step<Value>(run: () => Value | Promise<Value>, kind: StepKind = "work"): Timed<Value> | Promise<Timed<Value>> {
    const written = kind === "pure" && this.#mayLag() ? undefined : this.commit();
    return written === undefined ? this.timed(run) : written.then(() => this.timed(run));
  }

  /** Whether a pure step need not wait for what was noted: after a crash the next drive computes it again. Steps with side effects wait for all of it. */
  #mayLag(): boolean {
    if (this.#broken) throw this.#broken;
    return this.options.log.isElsewhere === true && this.#noted.length < MOST_BEHIND;
  }

  shelve<Holder extends object>(holder: Holder): Holder | Promise<Holder> {
    const { log } = this.options;
    if (!log.shelve) return holder;
    this.#held += lengthOfLongTexts(holder);
    if (this.#held <= MOST_HELD) return holder;
    const written = this.commit();
    return written ? written.then(() => log.shelve?.(holder) ?? holder) : log.shelve(holder);
  }

  timed<Value>(run: () => Value | Promise<Value>): Timed<Value> | Promise<Timed<Value>> {
    const { clock } = this.options;
    const startedAt = clock.now();
    if (startedAt - this.#breathedAt > BREATH_MS) return this.#afterBreath(run);
    const looking = this.assertLease();
    if (looking) return looking.then(() => this.timed(run));
    const value = run();
    if (value instanceof Promise) return this.#awaited(value, startedAt);
    return { value, startedAt, endedAt: clock.now(), dice: this.#random() };
  }

  async #awaited<Value>(running: Promise<Value>, startedAt: number): Promise<Timed<Value>> {
    const value = await running;
    return { value, startedAt, endedAt: this.options.clock.now(), dice: this.#random() };
  }

  async #afterBreath<Value>(run: () => Value | Promise<Value>): Promise<Timed<Value>> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#breathedAt = this.options.clock.now();
    return this.timed(run);
  }

  beginWait(): SkippableWait | undefined {
    return this.options.beginWait?.();
  }

  async sleepUntil(
    epochMs: number,
    signal: AbortSignal,
    { atMostMs = Number.POSITIVE_INFINITY, besideLimits = false }: SleepOptions = {},
  ): Promise<void> {
    const written = this.commit();
    if (written) await written;
    const over = besideLimits ? this.#askingTime.begin() : undefined;
    const { clock } = this.options;
    const wait = this.beginWait();
    const ended = wait ? AbortSignal.any([signal, wait.skipped]) : signal;
    const left = (): number => epochMs - clock.now();
    // A laptop may have slept, so the clock is looked at again; it may have been set back, so it cannot make the wait longer.
    for (let most = Math.min(left(), atMostMs); most > 0 && left() > 0 && !ended.aborted; ) {
      const nap = Math.min(most, left(), LONGEST_NAP_MS);
      await clock.sleep(nap, ended);
      most -= nap;
    }
    wait?.end();
    over?.();
  }

  async ask(
    path: readonly string[],
    question: Question,
    signal: AbortSignal,
    { fiber, ...asking }: Asking = {},
  ): Promise<Answer | undefined> {
    await this.commit();
    const { ask, answers, clock } = this.options;
    const warn = (message: string): void => this.note(path, "warning", { node: question.node, message });
    const timed: Asker = async (...asked) => {
      const answered = this.#askingTime.begin();
      try {
        return await ask?.(...asked);
      } finally {
        answered();
      }
    };
    const questions = this.#questions;
    const waitElsewhere = fiber && questions && (() => this.waiting(fiber, () => questions.wait(question.key, signal)));
    const asked = { ...asking, signal, warn, ...(waitElsewhere ? { waitElsewhere } : {}) };
    return askedHere({ answers, clock, ...(ask ? { ask: timed } : {}) }, question, asked);
  }

  protected waiting(fiber: Fiber, wait: () => Promise<WaitOutcome>): Promise<WaitOutcome> {
    return fiber.waiting("person", wait);
  }

  branches<Branch, End>(
    branches: readonly Branch[],
    body: BranchBody<Branch, End>,
    options: BranchOptions<Branch, End>,
  ): Promise<readonly (End | undefined)[]> {
    return slidingPool(branches, body, options);
  }

  timeLimit(
    seconds: number | undefined,
    parent: AbortSignal,
    { fiber, asking = false }: UncountedTime = {},
  ): { readonly signal: AbortSignal; dispose(): void } {
    const { clock } = this.options;
    const beside = [...(asking ? [this.#askingTime] : []), ...(fiber instanceof DriveFiber ? [fiber.time(clock)] : [])];
    return timeLimit(clock, seconds, parent, beside);
  }
}
