// What a step type has to do, and what it is given for it. An executor turns a definition into values (`prepare`) and
// values into an outcome (`execute`); where it runs, whether it runs and what its outcome leads to is the engine's business.
import type { Outcome, Raised } from "../errors/index.ts";
import type { Loader, Scope } from "../template/index.ts";
import type { Caller, WorkflowPlace } from "./caller.ts";
import type { StepWorld } from "./world.ts";

export type { CallBreakers, Clock, WorkflowPlace } from "./caller.ts";

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

/** What an attempt is given. */
export interface Attempt extends Caller {
  readonly world: StepWorld;
  /** Whether the step opted in to typed errors; said to agents only. */
  readonly optedIn?: boolean;
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
  /** Touches nothing outside: its outcome is made of its prepared values alone. */
  readonly isPure?: boolean;
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
