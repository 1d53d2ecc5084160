// Measures time that some time limits do not count: a person is asked, or a branch waits.
import { TimeLimit } from "../engine/durable.ts";
import type { HostClock } from "./clock.ts";
import { follow } from "./follow-signal.ts";

interface Follower {
  begin(): void;
  end(): void;
}

export class AskingTime {
  #open = 0;
  #since = 0;
  #spent = 0;
  /** Called when the last open question is closed. */
  readonly #resting = new Set<() => void>();
  readonly #followers = new Set<Follower>();

  constructor(private readonly clock: Pick<HostClock, "now" | "after">) {}

  /** A person is asked, until what is given back is called. */
  begin(): () => void {
    if (this.#open++ === 0) {
      this.#since = this.clock.now();
      for (const follower of this.#followers) follower.begin();
    }
    return () => {
      if (--this.#open > 0) return;
      this.#spent += this.clock.now() - this.#since;
      for (const follower of this.#followers) follower.end();
      const resting = [...this.#resting];
      this.#resting.clear();
      for (const goOn of resting) goOn();
    };
  }

  /** What the other does not count, this one does not count either, until the returned function is called. */
  follow(other: AskingTime): () => void {
    let ended: (() => void) | undefined;
    const follower: Follower = {
      begin: () => {
        ended = this.begin();
      },
      end: () => ended?.(),
    };
    if (other.#open > 0) follower.begin();
    other.#followers.add(follower);
    return () => {
      other.#followers.delete(follower);
      if (other.#open > 0) follower.end();
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

  /** A clock that stands still while a question is open. */
  #beside(): number {
    return (this.#open > 0 ? this.#since : this.clock.now()) - this.#spent;
  }
}

/** A signal that is aborted after so long, or with its parent. Time that one of `beside` does not count does not count. */
export function timeLimit(
  clock: HostClock,
  seconds: number | undefined,
  parent: AbortSignal,
  beside: readonly AskingTime[],
): { readonly signal: AbortSignal; dispose(): void } {
  if (seconds === undefined) return { signal: parent, dispose: () => {} };
  const limit = new AbortController();
  const leave = follow(parent, limit);
  const over = (): void => limit.abort(new TimeLimit(seconds));
  const time = new AskingTime(clock);
  const leaveOthers = beside.map((other) => time.follow(other));
  const cancel = beside.length > 0 ? time.afterBeside(seconds * 1000, over) : clock.after(seconds * 1000, over);
  return {
    signal: limit.signal,
    dispose: () => {
      cancel();
      leave();
      for (const leaveOther of leaveOthers) leaveOther();
    },
  };
}
