// Before an attempt: the step's templates become values, and the values a hash. Pure; done again on every attempt and resume.
import { type Envelope, envelope, type Raised } from "../../errors/index.ts";
import type { Scope } from "../../template/index.ts";
import { type Names, over } from "../context/scope.ts";
import { templateFailure } from "../context/template-failure.ts";
import { visibleTo } from "../context/visible.ts";
import type { Frame } from "../frame.ts";
import { stepHash } from "./hash.ts";
import type { Member, Work } from "./work.ts";

export interface Visit {
  readonly key: string;
  /** Names beside the frame's: loop variables, and what stands in a member's place. */
  readonly locals: Names;
  /** The error that led here; in scope as `error` in all attempts of this visit. */
  readonly ledBy: Envelope | undefined;
  readonly signal: AbortSignal;
  readonly member?: Member;
  /** How often the node ran already: a member that runs again because its group is retried. */
  readonly attemptsBefore?: number;
}

export type Prepared =
  | {
      readonly ok: true;
      readonly values: unknown;
      readonly hash: string;
      readonly definition: string;
      readonly scope: Scope;
    }
  | { readonly ok: false; readonly error: Raised; readonly definition: string; readonly scope: Scope };

export function prepare(frame: Frame, work: Work, at: Pick<Visit, "locals" | "ledBy">): Prepared {
  const definition = frame.definitions.digest(work.name, work.type, work.version);
  const locals = at.ledBy ? { error: at.ledBy, ...at.locals } : at.locals;
  let scope: Scope = over(locals, frame.context.everything);
  try {
    const { mode } = frame.workflow.definition.workflow.context;
    if (work.step && mode !== "accumulate") scope = visibleTo(work.step, frame.context, mode, locals);
    const values = work.prepare(scope, locals);
    const hashed = work.hashed ? work.hashed(values) : values;
    return { ok: true, values, hash: stepHash(definition, hashed), definition, scope };
  } catch (problem) {
    return { ok: false, error: templateFailure(problem), definition, scope };
  }
}

/** An error with its place; one that crossed a boundary keeps the place where it was raised. */
export function stamped(
  frame: Frame,
  node: string,
  attempt: number,
  error: Raised,
  ledBy: Envelope | undefined,
): Envelope {
  const crossed = "raised_at" in error ? (error as Envelope) : undefined;
  const made = crossed
    ? attempt > 1
      ? { ...crossed, attempts: attempt }
      : crossed
    : envelope(error, { workflow: frame.name, node, attempt });
  return ledBy && !made.cause ? { ...made, cause: ledBy } : made;
}
