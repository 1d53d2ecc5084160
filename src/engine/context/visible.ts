// What one step's templates see: everything, the last step, or only what its `input:` names (`context.mode`); and the error
// of a template that could not be evaluated, which says what was referenced and what exists.
import { type Raised, raised } from "../../base/errors/index.ts";
import { nearest } from "../../base/errors/nearest.ts";
import type { Step } from "../../language/schema/index.ts";
import { BadValue } from "../../steps/step-type.ts";
import { stepTypeOf } from "../../steps/types.ts";
import { MISSING, type Scope, TemplateError } from "../../template/index.ts";
import type { WorkflowContext } from "./context.ts";
import { layered, lookUp, type Names } from "./scope.ts";

export type ContextMode = "accumulate" | "last_only" | "explicit";

class MissingInput extends Error {
  constructor(readonly raised: Raised) {
    super(raised.message);
  }
}

/** In the other modes; with `accumulate` it is everything. */
export function visibleTo(
  step: Step,
  context: WorkflowContext,
  mode: Exclude<ContextMode, "accumulate">,
  locals: Names,
  /** A step that ran is there and empty where a field that `input` marks with `?` is missing. */
  keepsStep = false,
): Scope {
  switch (mode) {
    case "last_only":
      return layered(locals, context.lastOnly);
    case "explicit":
      return layered(locals, named(step, context, keepsStep));
  }
}

function named(step: Step, context: WorkflowContext, keepsStep: boolean): Names {
  const hidden = stepTypeOf(step).inputsByName;
  const names: Record<string, Record<string, unknown>> = {
    workflow: { ...context.workflow, input: hidden ? {} : context.workflow.input },
  };
  const base = context.everything.get("context");
  for (const written of step.input ?? []) {
    const isMarked = written.endsWith("?");
    const reference = isMarked ? written.slice(0, -1) : written;
    // An explicit end counts, also where something it would tell of is missing.
    const optional = isMarked || step.type === "terminate";
    bring(names, reference, optional, context, step.name, keepsStep);
  }
  return { ...names, context: base };
}

/** `a.output.f`, `a.f` (short for it), `a.error…` (always the whole envelope), `g.outputs…`, `workflow.input.x`. */
function bring(
  names: Record<string, Record<string, unknown>>,
  reference: string,
  optional: boolean,
  context: WorkflowContext,
  step: string,
  keepsStep: boolean,
): void {
  const path = reference.split(".");
  const [root = "", second] = path;
  const view = root === "workflow" ? context.workflow : context.view(root);
  const short = root !== "workflow" && view !== undefined && second !== undefined && !Object.hasOwn(view, second);
  const full =
    second === "error" ? [root, "error"] : short && !FIELDS.has(second) ? [root, "output", ...path.slice(1)] : path;
  const value = lookUp(context.everything, full);
  if (value === MISSING) {
    if (!optional) throw new MissingInput(missingInput(reference, step, view));
    if (root === "workflow" && full[1] === "input" && full[2]) put(names, full, null);
    else if (keepsStep && view !== undefined && names[root] === undefined)
      names[root] = Object.hasOwn(view, "outputs") ? {} : { output: {} };
    return;
  }
  put(names, full, value);
}

const FIELDS: ReadonlySet<string> = new Set("output error outputs errors count type failed succeeded".split(" "));

function put(names: Record<string, Record<string, unknown>>, path: readonly string[], value: unknown): void {
  const [root = "", ...rest] = path;
  if (rest.length === 0) {
    names[root] = { ...names[root], ...(value as Record<string, unknown>) };
    return;
  }
  let level: Record<string, unknown> = { ...names[root] };
  names[root] = level;
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1) level[part] = value;
    else {
      const inner = level[part];
      const copy = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? { ...inner } : {};
      level[part] = copy;
      level = copy as Record<string, unknown>;
    }
  }
}

function missingInput(
  reference: string,
  step: string,
  view: Readonly<Record<string, unknown>> | object | undefined,
): Raised {
  const available = view ? Object.keys(view) : [];
  const why = view ? `it has ${available.join(", ") || "nothing"}` : "it has not run";
  return raised(
    "internal.template_error",
    `${step} asks for ${reference} in its input, but ${why}. Write \`${reference}?\` if it may be missing.`,
    { template: reference, expression: reference, missing: reference, available_fields: available, suggestions: [] },
  );
}

/** Turns what `prepare` or a condition threw into an envelope; what is neither is a defect and thrown on. */
export function templateFailure(problem: unknown, template?: string): Raised {
  if (problem instanceof TemplateError) return fromTemplate(problem, template);
  if (problem instanceof MissingInput) return problem.raised;
  if (problem instanceof BadValue)
    return (
      problem.raised ??
      raised("internal.bad_value", problem.message, {
        field: problem.field,
        value: problem.value,
        expected: problem.expected,
      })
    );
  throw problem;
}

function fromTemplate(problem: TemplateError, template: string | undefined): Raised {
  const available = [...(problem.available ?? [])];
  const missing = problem.missing ?? problem.path;
  const source = template ?? problem.text;
  return raised("internal.template_error", problem.message, {
    ...(source === undefined ? {} : { template: source }),
    expression: problem.path ?? problem.expression ?? "",
    ...(missing === undefined ? {} : { missing }),
    ...(problem.parentPath ? { parent: problem.parentPath } : {}),
    ...(problem.parentType ? { parent_type: problem.parentType } : {}),
    reason: problem.reason,
    available_fields: available,
    suggestions: missing ? nearest(missing, available, 1) : [],
    ...(problem.line > 0 ? { line: problem.line, column: problem.column } : {}),
  });
}
