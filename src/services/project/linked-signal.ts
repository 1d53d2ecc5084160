// The signal of an attempt, which can also be aborted from here. It is made when somebody asks for it: most steps do not.
import type { StepAttempt } from "../own-steps/own-step.ts";

export class LinkedSignal {
  readonly #outer: AbortSignal;
  #own: AbortController | undefined;
  readonly #follow = (): void => this.#own?.abort(this.#outer.reason);

  constructor(outer: AbortSignal) {
    this.#outer = outer;
  }

  /** The attempt with this signal. */
  in(attempt: StepAttempt): StepAttempt {
    const signal = (): AbortSignal => this.#signal;
    return {
      ...attempt,
      get signal() {
        return signal();
      },
    };
  }

  get #signal(): AbortSignal {
    if (!this.#own) {
      this.#own = new AbortController();
      if (this.#outer.aborted) this.#follow();
      else this.#outer.addEventListener("abort", this.#follow);
    }
    return this.#own.signal;
  }

  abort(reason: unknown): void {
    this.#own?.abort(reason);
  }

  /** The attempt has ended: a run's signal lives longer, and would keep every step that listened. */
  release(): void {
    this.#outer.removeEventListener("abort", this.#follow);
  }
}
