// Time as a host gives it: the real one, or a virtual one that jumps from wait to wait so that tests of hours take milliseconds.
import type { Clock } from "../steps/step-type.ts";
import { now } from "./faults.ts";

export type HostClock = Clock;

export const realClock: HostClock = {
  now,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const done = (): void => {
        callOff();
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const callOff = later(ms, done);
      signal?.addEventListener("abort", done, { once: true });
    }),
  after: later,
};

/** What setTimeout can hold: about 24 days. What is longer it would do at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A timer of any length, in parts that setTimeout can hold. Gives how to call it off. */
function later(ms: number, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    const part = Math.min(left, LONGEST_TIMER_MS);
    timer = setTimeout(() => (left > part ? wait(left - part) : run()), part);
  };
  wait(ms);
  return () => clearTimeout(timer);
}

interface Waiting {
  readonly at: number;
  readonly isDeadline: boolean;
  run(): void;
}

/** Time that stands still while anything can run, and then jumps to the next wait. */
export class VirtualClock implements HostClock {
  #now: number;
  #waiting: Waiting[] = [];
  #jumping = false;
  /** Milliseconds of waiting so far: waits, retries and back-offs. */
  waited = 0;

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const done = (): void => {
        signal?.removeEventListener("abort", done);
        this.#waiting = this.#waiting.filter((one) => one !== entry);
        resolve();
      };
      const entry: Waiting = { at: this.#now + ms, isDeadline: false, run: done };
      signal?.addEventListener("abort", done, { once: true });
      this.#add(entry);
    });
  }

  after(ms: number, run: () => void): () => void {
    const entry: Waiting = { at: this.#now + ms, isDeadline: true, run };
    this.#add(entry);
    return () => {
      this.#waiting = this.#waiting.filter((one) => one !== entry);
    };
  }

  #add(entry: Waiting): void {
    this.#waiting.push(entry);
    this.#waiting.sort((a, b) => a.at - b.at);
    this.#jump();
  }

  /** Twice around the event loop: whatever can run now, runs before time does. */
  #jump(): void {
    if (this.#jumping) return;
    this.#jumping = true;
    setImmediate(() =>
      setImmediate(() => {
        this.#jumping = false;
        if (!this.#waiting.some((one) => !one.isDeadline)) return;
        const next = this.#waiting.shift();
        if (!next) return;
        this.waited += Math.max(0, next.at - this.#now);
        this.#now = Math.max(this.#now, next.at);
        next.run();
        if (this.#waiting.length > 0) this.#jump();
      }),
    );
  }
}

// A moment of this process, by both of its clocks. The monotonic clock may stand still while a laptop or a virtual machine
// is suspended, and the wall clock may be set back: the longer of the two times counts.

export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** The first use of `performance` loads a module of Node's, which takes a millisecond of every first run. */
const monotonicMs = (): number => process.uptime() * 1000;

export const thisMoment = (): Moment => ({ monotonic: monotonicMs(), wall: Date.now() });

export const msSince = ({ monotonic, wall }: Moment): number => Math.max(monotonicMs() - monotonic, Date.now() - wall);
