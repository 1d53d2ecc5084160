// Before an attempt: the step's templates become values, and the values a hash. Pure; done again on every attempt and resume.
import type { Raised } from "../../base/errors/index.ts";
import type { Scope } from "../../template/index.ts";
import { beforeItRan, over } from "../context/scope.ts";
import { templateFailure, visibleTo } from "../context/visible.ts";
import { remarked, type Visit } from "../frame.ts";
import { stepHash } from "./hash.ts";

export type PreparedVisit =
  | {
      readonly ok: true;
      readonly values: unknown;
      readonly hash: string;
      readonly definition: string;
      readonly scope: Scope;
    }
  | { readonly ok: false; readonly error: Raised; readonly definition: string; readonly scope: Scope };

export function prepare(visit: Pick<Visit, "frame" | "work" | "locals" | "ledBy">): PreparedVisit {
  const { frame, work, ledBy } = visit;
  const definition = frame.definitions.digest(work.name, work.type, work.version);
  const locals = ledBy ? { error: ledBy, ...visit.locals } : visit.locals;
  let scope: Scope = over(locals, frame.context.everything);
  try {
    const { mode } = frame.workflow.definition.workflow.context;
    if (work.step && mode !== "accumulate")
      scope = visibleTo(
        work.step,
        frame.context,
        mode,
        locals,
        frame.workflow.definition.semantics.keepsStepOfOptionalInput,
      );
    if (frame.context.view(work.name) === undefined) scope = beforeItRan(work.name, scope);
    const values = remarked(frame, work.name, () => work.prepare(scope, locals));
    const hashed = work.hashed ? work.hashed(values) : values;
    return { ok: true, values, hash: stepHash(definition, hashed), definition, scope };
  } catch (problem) {
    return { ok: false, error: templateFailure(problem), definition, scope };
  }
}
