// Step types of plugins: their fields, their `execute`, and how long an attempt may go on after its signal aborted.
import { ownCodeFault } from "../../base/errors/envelope.ts";
import { failed, type Outcome } from "../../base/errors/index.ts";
import type { JsonSchema } from "../../base/errors/mapping.ts";

/** Time as a step sees it: real, or virtual in scenarios. */
interface StepClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What an own step is given while it runs. */
export interface StepAttempt {
  readonly node: string;
  /** 1 for the first; one more with each retry. */
  readonly attempt: number;
  /** Of this attempt: one that was cut off is made again with the same key, a retry has another. */
  readonly idempotencyKey: string;
  /** Aborts on timeout and cancel: end what was started and return. */
  readonly signal: AbortSignal;
  readonly clock: StepClock;
  readonly workflow: { readonly name: string; readonly file: string; readonly dir: string };
}

export interface StepSpec<Values extends object> {
  /** The name that files use: `type: <name>`. */
  readonly type: string;
  /** One line, for lists of types. */
  readonly description: string;
  /** Its fields, as the JSON Schema of an object. Texts in them are templates. */
  readonly schema: JsonSchema;
  /** Raise it when the same values would give another outcome: results of before are not reused then. 1 when left out. */
  readonly version?: number;
  /**
   * Does the work with the rendered fields. What can happen to users it returns as `failed`, with a kind of its own; what
   * it throws, and anything else than an outcome whose data JSON can hold, is `internal.step_error`.
   */
  execute(values: Values, attempt: StepAttempt): Promise<Outcome> | Outcome;
}

/** A step type of your own, for `loadWorkflow`, `validate`, `run` and `resume`. */
export interface OwnStep {
  readonly type: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly version: number;
  execute(values: object, attempt: StepAttempt): Promise<Outcome> | Outcome;
}

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
