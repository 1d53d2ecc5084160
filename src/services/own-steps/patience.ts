// Own code that does not heed its signal: it cannot be ended, and is not waited for any longer some seconds after.

import { ownCodeFault } from "../../errors/envelope.ts";
import { failed, type Outcome } from "../../errors/index.ts";
import type { StepAttempt } from "./own-step.ts";

/** As long as a policy may take. */
export const PATIENCE_MS = 5000;

export const NOT_STOPPED = "did not stop when its `signal` was aborted";

/** Calls `lost` when it has not been ended so long after the signal. */
export function patienceWith(signal: AbortSignal, lost: () => void): { end(): void } {
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(lost, PATIENCE_MS);
  };
  if (signal.aborted) begin();
  else signal.addEventListener("abort", begin, { once: true });
  return {
    end: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", begin);
    },
  };
}

type Execute<Given> = (given: Given, attempt: StepAttempt) => Promise<Outcome> | Outcome;

/** The same step, ended by its signal in any case, so that a run can be cancelled and its client closed. */
export function endedBySignal<Given>(
  execute: Execute<Given>,
  codeOf: (attempt: StepAttempt) => string,
): Execute<Given> {
  return (values, attempt) => {
    const given = execute(values, attempt);
    if (!(given instanceof Promise)) return given;
    let giveUp: (outcome: Outcome) => void = () => {};
    const givenUp = new Promise<Outcome>((resolve) => (giveUp = resolve));
    const code = codeOf(attempt);
    const patience = patienceWith(attempt.signal, () => giveUp(failed(ownCodeFault(code, `${code} ${NOT_STOPPED}`))));
    return Promise.race([given, givenUp]).finally(() => patience.end());
  };
}
