// One call's time limit joined with the step's own signal. Real time, also in tests: a server's silence is real.

export interface Deadline {
  readonly signal: AbortSignal;
  passed(): boolean;
  clear(): void;
}

export function startDeadline(seconds: number, outer: AbortSignal): Deadline {
  const controller = new AbortController();
  let passed = false;
  const stop = () => controller.abort(outer.reason);
  if (outer.aborted) stop();
  else outer.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(() => {
    passed = true;
    controller.abort(new Error(`no answer within ${seconds} s`));
  }, seconds * 1000);
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
