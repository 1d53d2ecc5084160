// What is rendered when a workflow ends: its `output:`, what a route to `$end` lays over it, and the message of `halt:`.
import { type Envelope, envelope, raised } from "../../base/errors/index.ts";
import type { Route } from "../../language/schema/index.ts";
import { renderMapping, renderText } from "../../steps/values.ts";
import type { Stop } from "../ends.ts";
import { remarked, type WorkflowFrame } from "../frame.ts";
import { layered, type Names, NO_NAMES, over } from "./scope.ts";
import { templateFailure } from "./visible.ts";

/** Rendered with every step in scope, and `names` before them; throws `TemplateError`. */
export const workflowOutput = (frame: WorkflowFrame, names: Names = NO_NAMES): Record<string, unknown> =>
  renderMapping(frame.workflow.definition.output, over(names, frame.context.everything), "coerced");

/** `output:` of a route to `$end`. Its names are those of the step's routes, which the workflow's own `output` does not have. */
export const routeOutput = (frame: WorkflowFrame, output: Names, names: Names): Record<string, unknown> =>
  renderMapping(output, layered(names, frame.context.everything), "coerced");

export function haltedBy(
  frame: WorkflowFrame,
  node: string,
  { message, resumable = false }: NonNullable<Route["halt"]>,
  cause: Envelope | undefined,
  output: unknown,
  locals: Names = {},
): Stop & { readonly type: "halted" } {
  const scope = layered(
    { ...(cause ? { error: cause } : {}), ...(output === undefined ? {} : { output }) },
    locals,
    frame.context.everything,
  );
  let text: string;
  try {
    text = remarked(frame, node, () => renderText(message, scope)) || "the run was halted";
  } catch (problem) {
    // The author wanted the run to end here; a broken message does not change that.
    text = `${message} (this message could not be rendered: ${templateFailure(problem).message})`;
  }
  const raisedAt = { workflow: frame.name, node, attempt: cause?.attempts ?? 1 };
  return {
    type: "halted",
    error: envelope(raised("halt.intentional", text, {}, cause), raisedAt),
    node,
    path: frame.path,
    resumable,
  };
}
