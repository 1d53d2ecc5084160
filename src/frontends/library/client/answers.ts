// Answers for programs: names in camelCase, `toJSON()` for what the command line prints; how a run went, typed by what is
// known of its workflow; and a run that this program started.
import { isMapping } from "../../../base/errors/mapping.ts";
import type { Entry, Result } from "../../../base/results/result.ts";
import type { RunEvent } from "../options.ts";

/** What belongs to the user: it keeps the keys that it has. */
const KEPT = [
  "output",
  "details",
  "inputs",
  "raw_response",
  "response_headers",
  "data",
  "fields",
  "attributes",
  "item",
  "questions",
  "saw",
  "cause",
  "event",
] as const;

/** What is by names of steps, models, kinds or variants, which stay; what stands under them is ours. */
const NAMED: ReadonlySet<string> = new Set([
  "node_actions",
  "node_hashes",
  "by_model",
  "failures",
  "errors",
  "kinds",
  "passed",
]);
const KEPT_NAMES: ReadonlySet<string> = new Set(KEPT);

type CamelKey<Key> = Key extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelKey<Rest> & string>}`
  : Key;

/** A type of the JSON with its names in camelCase, at any depth. */
export type Camel<Json> = Json extends readonly (infer One)[]
  ? readonly Camel<One>[]
  : Json extends object
    ? {
        readonly [Key in keyof Json as CamelKey<Key>]: Key extends (typeof KEPT)[number] ? Json[Key] : Camel<Json[Key]>;
      }
    : Json;

/** An answer; `JSON.stringify` of it gives what the command line prints. */
export type Answered<Json> = Camel<Json> & { toJSON(): Json };

export function answered<Json extends object>(json: Json): Answered<Json> {
  return withJson(camel(json) as Camel<Json>, json);
}

/** Not enumerable, so that the answer can be spread and compared. */
export const withJson = <Answer, Json>(answer: Answer, json: Json): Answer & { toJSON(): Json } =>
  Object.defineProperty(answer as Answer & { toJSON(): Json }, "toJSON", { value: () => json });

export function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      KEPT_NAMES.has(key) ? one : NAMED.has(key) ? named(one) : camel(one),
    ]),
  );
}

const named = (value: unknown): unknown =>
  isMapping(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, camel(one)])) : camel(value);

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

/**
 * @example
 * const run = await createSegno().start("release.yaml", { inputs: { version: "1.2.0" } });
 * for await (const event of run.events()) if (event.type === "agent_failed") console.error(event.data.message);
 * const result = await run.result();
 */
export interface StartedRun<Output = unknown, Kind extends string = string> {
  readonly id: string;
  /** From its first event on, until it ends or pauses. */
  events(): AsyncIterableIterator<RunEvent>;
  /** How it went. Never rejects for what happens to the run. */
  result(): Promise<RunResult<Output, Kind>>;
  /** Stops it; it stays resumable. */
  cancel(): Promise<RunResult<Output, Kind>>;
}

/** Nothing was recorded: the file or the inputs are not valid, or the store cannot be used. */
export class NotStartedError extends Error {
  readonly result: RunResult;

  constructor(json: Result) {
    super(json.error ?? json.errors[0]?.message ?? "the run did not start");
    this.name = "NotStartedError";
    this.result = runResult(json);
  }
}

export interface Drive {
  readonly done: Promise<Result>;
  /** Its end is in `done`. */
  readonly stop: (id: string) => unknown;
  /** Its events again, from the journal. */
  readonly follow: (id: string, signal: AbortSignal) => AsyncIterable<RunEvent>;
}

export function startedRun<Output, Kind extends string>(id: string, drive: Drive): StartedRun<Output, Kind> {
  const result = async (): Promise<RunResult<Output, Kind>> => runResult(await drive.done);
  return {
    id,
    result,
    async *events() {
      const off = new AbortController();
      try {
        yield* drive.follow(id, off.signal);
      } finally {
        off.abort();
      }
    },
    async cancel() {
      await drive.stop(id);
      return result();
    },
  };
}
