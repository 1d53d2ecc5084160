// The questions of a drive that nobody here can answer. While other branches of the run go on, an answer from another process
// is taken up where it is waited for. When all of them wait, the run pauses.
import type { Awaitable } from "../base/awaitable.ts";
import type { WaitsFor } from "../engine/fiber.ts";

/** Answers of other processes that arrive while a run is driven. */
export interface Arrivals {
  /** Those of these keys that have an answer. */
  answered(keys: readonly string[]): Awaitable<readonly string[]>;
  /**
   * Tells whoever answers from now on that the run is about to pause, and that this process may not see the answer. What was
   * answered before that is seen by `answered`.
   */
  leave(): Awaitable<void>;
  /** The run goes on after all. */
  stay(): Awaitable<void>;
}

const POLL_MS = 250;

export type WaitOutcome = "answered" | "pause" | "aborted";

interface Waiting {
  end(outcome: WaitOutcome): void;
  fail(problem: unknown): void;
}

export class OpenQuestions {
  readonly #waiting = new Map<string, Waiting>();
  /** Branches whose wait has just ended: they are about to go on. */
  #waking = 0;
  #isLooking = false;
  #isStopped = false;
  #wake: () => void = () => {};

  constructor(
    private readonly arrivals: Arrivals,
    /** What the root of the run waits for. */
    private readonly rootWaitsFor: () => WaitsFor | undefined,
  ) {}

  /** Resolves when the question has an answer, when the run is to pause, or when the signal aborts. */
  wait(key: string, signal: AbortSignal): Promise<WaitOutcome> {
    return new Promise((resolve, reject) => {
      const settle = (settled: () => void): void => {
        this.#waiting.delete(key);
        signal.removeEventListener("abort", aborted);
        this.#waking += 1;
        setImmediate(() => {
          this.#waking -= 1;
        });
        settled();
      };
      const aborted = (): void => settle(() => resolve("aborted"));
      this.#waiting.set(key, {
        end: (outcome) => settle(() => resolve(outcome)),
        fail: (problem) => settle(() => reject(problem)),
      });
      if (signal.aborted) return aborted();
      signal.addEventListener("abort", aborted, { once: true });
      if (!this.#isLooking) void this.#look();
    });
  }

  /** Called when the root begins to wait. */
  wake(): void {
    this.#wake();
  }

  /** Whatever waits is never resolved: the drive was left. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting.clear();
    this.#wake();
  }

  get #isQuiet(): boolean {
    return this.#waking === 0 && this.rootWaitsFor() === "person";
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#waiting.size > 0) {
      try {
        const heard = await this.#heard();
        for (const one of heard) one.end("answered");
        if (heard.length === 0 && this.#isQuiet) await this.#pause();
      } catch (problem) {
        // While others work, a look that fails is not the last one.
        if (this.#isQuiet) this.#each((one) => one.fail(problem));
      }
      if (this.#waiting.size > 0 && !this.#isQuiet) await this.#nap();
    }
    this.#isLooking = false;
  }

  async #heard(): Promise<readonly Waiting[]> {
    const answered = await this.arrivals.answered([...this.#waiting.keys()]);
    return answered.flatMap((key) => this.#waiting.get(key) ?? []);
  }

  /** Who answers looks at how the run stands after the answer is stored; so the answers are looked at after it is told here. */
  async #pause(): Promise<void> {
    await this.arrivals.leave();
    const heard = await this.#heard();
    if (this.#isStopped) return;
    if (heard.length === 0 && this.#isQuiet) return this.#each((one) => one.end("pause"));
    await this.arrivals.stay();
    for (const one of heard) one.end("answered");
  }

  #each(act: (one: Waiting) => void): void {
    for (const one of [...this.#waiting.values()]) act(one);
  }

  #nap(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
