// Calls that wait until an open breaker lets them through (`when_open: wait`). Only the first of a breaker's calls looks at
// it; the others wait behind it, so that a thousand held items are not a thousand questions a second.
import { keptIn } from "../../base/errors/mapping.ts";
import type { Durable } from "../durable.ts";
import type { AskableBreaker } from "./resilience/shared-breaker.ts";

/** So often the first call looks whether a person, or another process, has closed the breaker. */
const LOOK_MS = 5_000;

export type HoldEnd = "ask" | "late" | "aborted";

export class HeldCalls {
  readonly #queues = new Map<string, HeldCall[]>();

  /** Puts a call behind those that wait for the same breaker. It has to be released. */
  hold(breaker: AskableBreaker): HeldCall {
    const queue = keptIn(this.#queues, breaker.name, (): HeldCall[] => []);
    const call = new HeldCall(breaker, queue);
    queue.push(call);
    return call;
  }

  /** This process heard how a call went: if the breaker is closed by that all may ask again, else the first. */
  changed({ name }: AskableBreaker, isClosed: boolean): void {
    const queue = this.#queues.get(name) ?? [];
    for (const call of isClosed ? [...queue] : queue.slice(0, 1)) call.mayAsk();
  }
}

interface Hold {
  readonly durable: Durable;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Epoch milliseconds: when the breaker said that it lets a call through again; and when the call gives up. */
  readonly due: number;
  readonly until: number;
}

export class HeldCall {
  #mayAsk = false;
  #wake = new AbortController();

  constructor(
    private readonly breaker: AskableBreaker,
    private readonly queue: HeldCall[],
  ) {}

  mayAsk(): void {
    this.#mayAsk = true;
    this.look();
  }

  look(): void {
    this.#wake.abort();
  }

  /** Until the call should ask the breaker again, its time is up, or the signal aborts. */
  async wait({ durable, signal, now, due, until }: Hold): Promise<HoldEnd> {
    const end = async (): Promise<HoldEnd | undefined> => {
      if (signal.aborted) return "aborted";
      if (this.#mayAsk) return "ask";
      if (now() >= until) return "late";
      if (!this.#isFirst) return undefined;
      // One that is half open has just refused this call: its probe is under way. Its report wakes the call, or `due` does.
      return now() >= due || (await this.breaker.state).status === "closed" ? "ask" : undefined;
    };
    for (;;) {
      const ended = await end();
      if (ended) {
        this.#mayAsk = false;
        return ended;
      }
      this.#wake = new AbortController();
      const woken = AbortSignal.any([signal, this.#wake.signal]);
      const first = this.#isFirst;
      const options = { besideLimits: true, inStep: true, ...(first ? { atMostMs: LOOK_MS } : {}) };
      await durable.sleepUntil(first ? Math.min(due, until) : until, woken, options);
    }
  }

  /** The next one looks from now on. */
  release(): void {
    const at = this.queue.indexOf(this);
    if (at >= 0) this.queue.splice(at, 1);
    if (at === 0) this.queue[0]?.look();
  }

  get #isFirst(): boolean {
    return this.queue[0] === this;
  }
}
