// A workflow's `output:`, and what a route to `$end` lays over it.
import { renderMapping } from "../../steps/values.ts";
import type { WorkflowFrame } from "../frame.ts";
import { layered, type Names } from "./scope.ts";

/** Rendered with every step in scope; throws `TemplateError`. */
export function workflowOutput(frame: WorkflowFrame, over?: Names, locals: Names = {}): Record<string, unknown> {
  const scope = layered(locals, frame.context.everything);
  const output = renderMapping(frame.workflow.definition.output, scope, "coerced");
  return over ? { ...output, ...renderMapping(over, scope, "coerced") } : output;
}
