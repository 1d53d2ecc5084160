// How a run went, typed by what is known of its workflow.
import type { Entry, Result } from "../../results/result.ts";
import { answered, type Camel } from "./camel.ts";

/** The error that ended a run. */
export interface RunError<Kind extends string | null = string> extends Omit<Camel<Entry>, "kind"> {
  readonly kind: Kind;
}

type Common = Omit<Camel<Result>, "success" | "status" | "output" | "error"> & {
  /** The result as the command line prints it. */
  toJSON(): Result;
};

interface Succeeded<Output> {
  readonly success: true;
  /** `terminated`: a terminate step ended it well. */
  readonly status: "completed" | "degraded" | "terminated";
  readonly output: Output;
  readonly error: null;
}

interface Failed<Kind extends string> {
  readonly success: false;
  readonly status: "failed";
  readonly output: unknown;
  /** Its `kind` is null when a limit of the workflow ended the run; `errorType` says which. */
  readonly error: RunError<Kind | null>;
}

/** A terminate step ended it as failed. */
interface Terminated {
  readonly success: false;
  readonly status: "terminated";
  readonly output: unknown;
  readonly error: RunError<string | null> | null;
}

/** A gate waits, a user stopped it, or it never began. */
interface Otherwise {
  readonly success: boolean;
  readonly status: "paused" | "cancelled" | "queued" | "running" | "invalid" | "valid";
  readonly output: unknown;
  /** Why, where there is a reason: of a file that is not valid, the first finding. */
  readonly error: RunError<string | null> | null;
}

/**
 * How a run went. `status` tells the cases apart: after `completed` or `degraded` there is an `output`, after `failed` an
 * `error` with its kind.
 *
 * @example
 * const result = await createSegno().run<{ version: string }, { url: string }>("release.yaml", { inputs: { version: "1" } });
 * if (result.status === "failed") console.error(result.error.kind, result.error.hint);
 */
export type RunResult<Output = unknown, Kind extends string = string> = Common &
  (Succeeded<Output> | Failed<Kind> | Terminated | Otherwise);

export function runResult<Output, Kind extends string>(json: Result): RunResult<Output, Kind> {
  const answer = answered(json);
  const [first] = answer.errors;
  const error = first ?? (json.error === null ? null : { ...NO_ENTRY, message: json.error });
  // Which of the cases it is says `status`, which the compiler cannot follow.
  return Object.assign(answer, {
    error: ENDED_WELL.includes(json.status) && json.success ? null : error,
  }) as never;
}

const ENDED_WELL: readonly unknown[] = ["completed", "degraded", "terminated"];

const NO_ENTRY: Omit<Camel<Entry>, "message"> = {
  source: "runtime",
  category: null,
  kind: null,
  nodeId: null,
  action: null,
  fixable: false,
  retryable: false,
  owner: null,
};
