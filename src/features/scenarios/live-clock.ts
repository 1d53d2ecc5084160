// The clock of a scenario in which some calls are real: time passes while one is under way, and jumps from wait to wait
// otherwise. After a real call has failed it passes until one succeeds: a provider that asks for a pause gets it.
import { type HostClock, realClock } from "../../storage/clock.ts";

interface Waiting {
  readonly at: number;
  readonly isDeadline: boolean;
  run(): void;
}

export class LiveClock implements HostClock {
  /** The time when it last stood still. */
  #now: number;
  /** The real time since when it passes; undefined: it stands still. */
  #since: number | undefined;
  #calls = 0;
  #hasFailed = false;
  #waiting: Waiting[] = [];
  #isJumping = false;
  #callOff: () => void = () => {};

  constructor(start = realClock.now()) {
    this.#now = start;
  }

  now(): number {
    return this.#since === undefined ? this.#now : this.#now + (realClock.now() - this.#since);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const done = (): void => {
        signal?.removeEventListener("abort", done);
        this.#remove(entry);
        resolve();
      };
      const entry: Waiting = { at: this.now() + ms, isDeadline: false, run: done };
      signal?.addEventListener("abort", done, { once: true });
      this.#add(entry);
    });
  }

  after(ms: number, run: () => void): () => void {
    const entry: Waiting = { at: this.now() + ms, isDeadline: true, run };
    this.#add(entry);
    return () => this.#remove(entry);
  }

  /** A real call: time passes until it is over. */
  async during<Came>(call: () => Promise<Came>, isFailure: (came: Came) => boolean): Promise<Came> {
    this.#calls += 1;
    this.#since ??= realClock.now();
    this.#arm();
    let failed = true;
    try {
      const came = await call();
      failed = isFailure(came);
      return came;
    } finally {
      this.#calls -= 1;
      this.#hasFailed = failed;
      this.#standStill();
    }
  }

  #standStill(): void {
    if (this.#calls > 0 || this.#hasFailed || this.#since === undefined) return;
    this.#now = this.now();
    this.#since = undefined;
    this.#callOff();
    this.#jump();
  }

  #add(entry: Waiting): void {
    this.#waiting.push(entry);
    this.#waiting.sort((a, b) => a.at - b.at);
    if (this.#since === undefined) this.#jump();
    else this.#arm();
  }

  #remove(entry: Waiting): void {
    this.#waiting = this.#waiting.filter((one) => one !== entry);
    if (this.#since !== undefined) this.#arm();
  }

  /** While time passes: the next wait is over when it is. */
  #arm(): void {
    this.#callOff();
    const [next] = this.#waiting;
    if (!next) return;
    this.#callOff = realClock.after(Math.max(0, next.at - this.now()), () => {
      this.#waiting = this.#waiting.filter((one) => one !== next);
      next.run();
      if (this.#since !== undefined) this.#arm();
    });
  }

  /** While it stands still: as a virtual clock does, after whatever can run now. */
  #jump(): void {
    if (this.#isJumping) return;
    this.#isJumping = true;
    setImmediate(() =>
      setImmediate(() => {
        this.#isJumping = false;
        if (this.#since !== undefined || !this.#waiting.some((one) => !one.isDeadline)) return;
        const next = this.#waiting.shift();
        if (!next) return;
        this.#now = Math.max(this.#now, next.at);
        next.run();
        if (this.#waiting.length > 0) this.#jump();
      }),
    );
  }
}
