// A workflow's `output:`, and what a route to `$end` lays over it.
import { renderMapping } from "../../steps/values.ts";
import type { WorkflowFrame } from "../frame.ts";
import { layered, type Names, NO_NAMES, over } from "./scope.ts";

/** Rendered with every step in scope, and `names` before them; throws `TemplateError`. */
export const workflowOutput = (frame: WorkflowFrame, names: Names = NO_NAMES): Record<string, unknown> =>
  renderMapping(frame.workflow.definition.output, over(names, frame.context.everything), "coerced");

/** `output:` of a route to `$end`. Its names are those of the step's routes, which the workflow's own `output` does not have. */
export const routeOutput = (frame: WorkflowFrame, output: Names, names: Names): Record<string, unknown> =>
  renderMapping(output, layered(names, frame.context.everything), "coerced");
