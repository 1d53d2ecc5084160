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

/** A terminate step ended it as failed; or nothing ran, because the file or what was given is not valid. */
interface Stopped<Kind extends string> {
  readonly success: false;
  readonly status: "terminated" | "invalid";
  readonly output: unknown;
  /** Of a file that is not valid, the first finding. */
  readonly error: RunError<Kind | null>;
}

/** A gate waits, a user stopped it, or it has not ended yet. */
interface Unfinished<Kind extends string> {
  readonly success: false;
  readonly status: "paused" | "cancelled" | "queued" | "running";
  readonly output: unknown;
  /** Why, where there is a reason. */
  readonly error: RunError<Kind | null> | null;
}

/**
 * How a run went. `success` and `status` tell the cases apart: with `success` there is an `output`, after `failed` an
 * `error` with its kind. Where `error` is there in another case, its kind is null.
 *
 * @example
 * const result = await createSegno().run<{ version: string }, { url: string }>("release.yaml", { inputs: { version: "1" } });
 * if (result.success) console.log(result.output.url);
 * else if (result.error) console.error(result.error.kind, result.error.hint);
 */
export type RunResult<Output = unknown, Kind extends string = string> = Common &
  (Succeeded<Output> | Failed<Kind> | Stopped<Kind> | Unfinished<Kind>);

/** What `segno.workflows.validate` found: nothing to object to, or errors, of which `error` is the first. */
export type CheckResult = Common & { readonly output: null } & (
    | { readonly success: true; readonly status: "valid"; readonly error: null }
    | { readonly success: false; readonly status: "invalid"; readonly error: RunError<null> }
  );

export function runResult<Output, Kind extends string>(json: Result): RunResult<Output, Kind> {
  const answer = answered(json);
  const [first] = answer.errors;
  const error = first ?? (json.error === null ? null : { ...NO_ENTRY, message: json.error });
  // Which of the cases it is says `status`, which the compiler cannot follow.
  return Object.assign(answer, { error: json.success ? null : error }) as never;
}

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
