// A template that could not be evaluated, as an envelope that says what was referenced and what exists.
import { type Raised, raised } from "../../errors/index.ts";
import { nearest } from "../../errors/nearest.ts";
import { BadValue } from "../../steps/executor.ts";
import { TemplateError } from "../../template/index.ts";
import { MissingInput } from "./visible.ts";

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
