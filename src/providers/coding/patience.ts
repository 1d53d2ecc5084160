// How long an agent may take: it is given up when nothing was heard of it for a while, or when its session lasts too long.
// Waiting for a person is not silence.
import type { Clock } from "../../steps/caller.ts";

export interface AgentPatience {
  readonly signal: AbortSignal;
  /** It lives: the wait for the next sign begins anew. */
  heard(): void;
  /** Stops the idle clock while the agent waits for a person or a tool. */
  whileWaiting<Value>(wait: Promise<Value>): Promise<Value>;
  /** Which limit was reached. */
  over(): "idle" | "session" | undefined;
  clear(): void;
}

export interface PatienceLimits {
  readonly idleSeconds: number;
  /** Infinity: as long as it takes. */
  readonly sessionSeconds: number;
}

export function startPatience(
  { idleSeconds, sessionSeconds }: PatienceLimits,
  outer: AbortSignal,
  clock: Pick<Clock, "after">,
): AgentPatience {
  const controller = new AbortController();
  let over: "idle" | "session" | undefined;
  let waiting = 0;
  let cancelIdle = (): void => {};
  const stop = (): void => controller.abort(outer.reason);
  const giveUp = (why: "idle" | "session"): void => {
    if (controller.signal.aborted) return;
    over = why;
    controller.abort(new Error(`${why} limit`));
  };
  const limit = (seconds: number, why: "idle" | "session"): (() => void) =>
    seconds === Number.POSITIVE_INFINITY ? () => {} : clock.after(seconds * 1000, () => giveUp(why));
  const heard = (): void => {
    cancelIdle();
    cancelIdle = waiting > 0 || controller.signal.aborted ? () => {} : limit(idleSeconds, "idle");
  };
  const cancelSession = limit(sessionSeconds, "session");
  if (outer.aborted) stop();
  else outer.addEventListener("abort", stop, { once: true });
  heard();
  return {
    signal: controller.signal,
    heard,
    async whileWaiting(wait) {
      waiting += 1;
      heard();
      try {
        return await wait;
      } finally {
        waiting -= 1;
        heard();
      }
    },
    over: () => over,
    clear: () => {
      cancelIdle();
      cancelSession();
      outer.removeEventListener("abort", stop);
    },
  };
}
