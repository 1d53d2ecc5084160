// How long an agent may take: it is given up when nothing was heard of it for a while, or when its session lasts too long.
// Real time, also in tests: silence is real. Waiting for a person is not silence.

export interface AgentPatience {
  readonly signal: AbortSignal;
  /** It lives: the wait for the next sign begins anew. */
  heard(): void;
  /** Stops the clock of silence while somebody else is waited for. */
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

/** What setTimeout can hold. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function startPatience({ idleSeconds, sessionSeconds }: PatienceLimits, outer: AbortSignal): AgentPatience {
  const controller = new AbortController();
  let over: "idle" | "session" | undefined;
  let waiting = 0;
  let idle: NodeJS.Timeout | undefined;
  const stop = (): void => controller.abort(outer.reason);
  const giveUp = (why: "idle" | "session"): void => {
    if (controller.signal.aborted) return;
    over = why;
    controller.abort(new Error(`${why} limit`));
  };
  const timer = (seconds: number, why: "idle" | "session"): NodeJS.Timeout =>
    setTimeout(() => giveUp(why), Math.min(seconds * 1000, LONGEST_TIMER_MS)).unref();
  const heard = (): void => {
    clearTimeout(idle);
    idle = waiting > 0 || controller.signal.aborted ? undefined : timer(idleSeconds, "idle");
  };
  const session = sessionSeconds === Number.POSITIVE_INFINITY ? undefined : timer(sessionSeconds, "session");
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
      clearTimeout(idle);
      clearTimeout(session);
      outer.removeEventListener("abort", stop);
    },
  };
}
