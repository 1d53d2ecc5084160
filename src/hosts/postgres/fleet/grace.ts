// When other processes may be given up. During an outage of the database no heartbeat gets through. So a process that
// missed a beat itself, or sees a server that has just started, waits until the others had time for a heartbeat.
import type { ServerAge } from "../members.ts";

export class Grace {
  readonly #graceMs: number;
  readonly #longestMs: number;
  #until: number;
  #lastBeat: number | undefined;
  #server: string | undefined;

  constructor(silenceMs: number, now: number = performance.now()) {
    this.#graceMs = silenceMs * 1.5;
    this.#longestMs = silenceMs / 2;
    this.#until = now;
  }

  /** A beat got through. */
  beaten(began: number, { started, ageMs }: ServerAge, now: number = performance.now()): void {
    const isLate = this.#lastBeat !== undefined && now - this.#lastBeat > this.#longestMs;
    const isOther = this.#server !== undefined && this.#server !== started;
    if (isLate || isOther || now - began > this.#longestMs) this.#until = now + this.#graceMs;
    // One that has just started was away before. One that will start in a time to come has had its clock set back since.
    if (ageMs >= 0) this.#until = Math.max(this.#until, now + this.#graceMs - ageMs);
    this.#lastBeat = now;
    this.#server = started;
  }

  missed(now: number = performance.now()): void {
    this.#until = now + this.#graceMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.#until && this.#lastBeat !== undefined && this.#isFresh;
  }

  /** A process that stood still wakes up with an old beat, and must not judge others by it. */
  get #isFresh(): boolean {
    return performance.now() - (this.#lastBeat ?? 0) <= this.#longestMs * 2;
  }
}
