// Time in which a person is asked, or a provider's limit is waited for: the time limit of a workflow does not count it.
import { TimeLimit } from "../engine/durable.ts";
import type { HostClock } from "./clock.ts";

export class AskingTime {
  /** Questions that are open. */
  #open = 0;
  #since = 0;
  #spent = 0;
  /** Called when the last open question is closed. */
  readonly #resting = new Set<() => void>();

  constructor(private readonly clock: Pick<HostClock, "now" | "after">) {}

  /** A person is asked, until what is given back is called. */
  begin(): () => void {
    if (this.#open++ === 0) this.#since = this.clock.now();
    return () => {
      if (--this.#open > 0) return;
      this.#spent += this.clock.now() - this.#since;
      const resting = [...this.#resting];
      this.#resting.clear();
      for (const goOn of resting) goOn();
    };
  }

  /** Calls `call` after `ms` milliseconds without an open question; the returned function cancels it. */
  afterBeside(ms: number, call: () => void): () => void {
    const began = this.#beside();
    let callOff: () => void;
    const look = (): void => {
      const left = ms - (this.#beside() - began);
      if (left <= 0) call();
      else if (this.#open === 0) callOff = this.clock.after(left, look);
      else {
        this.#resting.add(look);
        callOff = () => this.#resting.delete(look);
      }
    };
    callOff = this.clock.after(ms, look);
    return () => callOff();
  }

  /** A signal that is aborted after so long, or with its parent. `besideAsking`: time in which a question is open does not count. */
  limit(
    seconds: number | undefined,
    parent: AbortSignal,
    besideAsking: boolean,
  ): { readonly signal: AbortSignal; dispose(): void } {
    if (seconds === undefined) return { signal: parent, dispose: () => {} };
    const limit = new AbortController();
    const stop = (): void => limit.abort(parent.reason);
    if (parent.aborted) stop();
    else parent.addEventListener("abort", stop, { once: true });
    const over = (): void => limit.abort(new TimeLimit(seconds));
    const cancel = besideAsking ? this.afterBeside(seconds * 1000, over) : this.clock.after(seconds * 1000, over);
    return {
      signal: limit.signal,
      dispose: () => {
        cancel();
        parent.removeEventListener("abort", stop);
      },
    };
  }

  /** A clock that stands still while a question is open. */
  #beside(): number {
    return (this.#open > 0 ? this.#since : this.clock.now()) - this.#spent;
  }
}
