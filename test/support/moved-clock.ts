// Real time, which a test can move on: a deadline that lies in the part that is skipped comes at once.
import { type HostClock, realClock } from "../../src/storage/clock.ts";

interface Deadline {
  readonly at: number;
  readonly run: () => void;
}

export class MovedClock implements HostClock {
  #ahead = 0;
  readonly #deadlines = new Set<Deadline>();

  now(): number {
    return realClock.now() + this.#ahead;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return realClock.sleep(ms, signal);
  }

  after(ms: number, run: () => void): () => void {
    const end = (): void => {
      callOff();
      this.#deadlines.delete(deadline);
    };
    const fire = (): void => {
      end();
      run();
    };
    const deadline = { at: this.now() + ms, run: fire };
    const callOff = realClock.after(ms, fire);
    this.#deadlines.add(deadline);
    return end;
  }

  move(ms: number): void {
    this.#ahead += ms;
    for (const { at, run } of [...this.#deadlines]) if (at <= this.now()) run();
  }
}
