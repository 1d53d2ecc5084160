// One call's time limit joined with the step's own signal. Real time, also in tests: a server's silence is real.

export interface Deadline {
  readonly signal: AbortSignal;
  passed(): boolean;
  clear(): void;
}

/** What setTimeout can hold, 24 days: what is longer it would do at once. No single call lasts that long. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function startDeadline(seconds: number, outer: AbortSignal): Deadline {
  const controller = new AbortController();
  let passed = false;
  const stop = () => controller.abort(outer.reason);
  if (outer.aborted) stop();
  else outer.addEventListener("abort", stop, { once: true });
  const late = (): void => {
    passed = true;
    controller.abort(new Error(`no answer within ${seconds} s`));
  };
  const timer = setTimeout(late, Math.min(seconds * 1000, LONGEST_TIMER_MS));
  timer.unref();
  return {
    signal: controller.signal,
    passed: () => passed,
    clear: () => {
      clearTimeout(timer);
      // Listeners would pile up on a signal that lives as long as the run.
      outer.removeEventListener("abort", stop);
    },
  };
}
