// What a step type has to do, and what it is given for it. An executor turns a definition into values (`prepare`) and
// values into an outcome (`execute`); where it runs, whether it runs and what its outcome leads to is the engine's business.
import type { Outcome, Raised } from "../errors/index.ts";
import type { EventData, EventType } from "../events/registry.ts";
import type { Skill } from "../language/loaded.ts";
import type { Loader, Scope } from "../template/index.ts";
import type { StepWorld } from "./world.ts";

/** What templates of a step may see, and where it stands. Pure: the same scope gives the same values. */
export interface StepScope {
  /** Names for templates: workflow, context, steps, the loop variable, `error` in handlers. */
  readonly names: Scope;
  /** Every step's names whatever `context.mode` says: what gates, questions and `output_template` see. `names` if absent. */
  readonly everything?: Scope;
  readonly node: string;
  readonly workflow: WorkflowPlace;
  /** Templates that a field of the step may take in; none unless its text came from a `!file`. */
  templates?(field: string): Loader | undefined;
}

export interface WorkflowPlace {
  readonly name: string;
  /** Absolute path of the step's own file, and its folder. */
  readonly file: string;
  readonly dir: string;
  /** Folder of the root workflow's file: where scripts run by default. */
  readonly rootDir: string;
  readonly runtime: Readonly<Record<string, unknown>>;
  /** `workflow.instructions` as text: stands before every agent's prompt. */
  readonly instructions?: string;
  /** What each entry of `skills` stands for. */
  readonly skills?: ReadonlyMap<string, readonly Skill[]>;
  /** Whom agents ask, whatever the files say: `--provider`. */
  readonly provider?: string;
  /** `cost.pricing`, over that of the files that called this one. */
  readonly pricing?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** `runtime.mcp_servers` of the nearest file on the way up that has some, and that file's folder. */
  readonly mcp?: { readonly servers: Readonly<Record<string, unknown>>; readonly dir: string };
}

/** Seconds and sleeping, real or virtual. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts (the caller looks at the signal). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Breakers of what an agent calls, asked before each call and informed after it; targets are named by targets.ts. */
export interface CallBreakers {
  /** Why the call must not be made; nothing when it may. */
  admit(target: string): Raised | undefined | Promise<Raised | undefined>;
  report(target: string, error: Raised | undefined): void | Promise<void>;
}

/** What an attempt is given. */
export interface Attempt {
  readonly node: string;
  /** Stable key of the step's visit: `build[3].test#2`. */
  readonly key: string;
  readonly attempt: number;
  /** Sub-workflow path of the step, for qualified names (`child/reviewer`). */
  readonly path: readonly string[];
  readonly workflow: WorkflowPlace;
  /** Aborts on timeout, cancel and fail_fast. The executor ends what it started and returns; the engine knows why. */
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
  readonly clock: Clock;
  /** Folder for spilled outputs; made when first needed. */
  readonly spillDir: string;
  readonly world: StepWorld;
  /** Of a wait that a crash cut off: since when, in epoch milliseconds. */
  readonly waitingSince?: number;
  /** Absent when the file has no breakers for what is called. */
  readonly breakers?: CallBreakers;
  /** Says something to a person and gives the reply, null when they have nothing more to say. Absent: nobody is there. */
  ask?(prompt: string): Promise<string | null>;
  /** Reports something while the step runs. */
  emit<Type extends EventType>(type: Type, data: EventData<Type>): void;
}

/** The part that every step type has: from a definition to values, which are plain data and part of the step's hash. */
export interface Preparer<Step, Prepared> {
  readonly type: string;
  /** Part of every hash: raise it when the same values would give another outcome. */
  readonly version: number;
  /** Renders templates. Throws `TemplateError` or `BadValue`; both become envelopes at the edge of the step. */
  prepare(step: Step, scope: StepScope): Prepared;
  /** The prepared values that decide the outcome; all of them when left out. */
  hashed?(prepared: Prepared): unknown;
}

/** A step type that does its work by itself. Gates, questions, sub-workflows and endings are the engine's to carry out. */
export interface Executor<Step, Prepared> extends Preparer<Step, Prepared> {
  execute(prepared: Prepared, attempt: Attempt): Outcome | Promise<Outcome>;
}

/** Thrown by `prepare` for a value that the step cannot use; becomes `internal.bad_value` unless it brings its own error. */
export class BadValue extends Error {
  constructor(
    readonly field: string,
    readonly value: unknown,
    readonly expected: string,
    readonly raised?: Raised,
  ) {
    super(`${field} is ${JSON.stringify(value)?.slice(0, 200)}, but ${expected}`);
    this.name = "BadValue";
  }
}
