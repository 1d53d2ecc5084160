// `type: terminate`. Prepares the status and the reason. A reason that cannot be rendered is replaced by the step's
// name, with a warning.

import { type Scope, TemplateError } from "../../template/index.ts";
import type { Preparer } from "../step-type.ts";
import { renderMapping, renderText } from "../values.ts";
import type { TerminateStep } from "./schema.ts";

export interface PreparedTermination {
  readonly status: "success" | "failed";
  readonly reason: string;
  /** Why the reason is not the one that was written, and what to do about it. */
  readonly withoutReason?: string;
}

export const terminate: Preparer<TerminateStep, PreparedTermination> = {
  type: "terminate",
  version: 1,

  prepare(step, { names, node }) {
    const { status } = step;
    try {
      const reason = renderText(step.reason, names);
      if (reason.trim() !== "") return { status, reason };
      const withoutReason = `the reason of ${node} came out empty, so its name stands for it. Put words around ${step.reason.trim()}, so that \`reason\` says why the workflow ends whatever comes in.`;
      return { status, reason: node, withoutReason };
    } catch (problem) {
      if (!(problem instanceof TemplateError)) throw problem;
      const withoutReason = `the reason of ${node} could not be rendered, so its name stands for it: ${problem.message} Let \`reason\` read only what every way to ${node} has.`;
      return { status, reason: node, withoutReason };
    }
  },
};

/** `output_template`: replaces the workflow's `output:`. Throws `TemplateError`. */
export const terminationOutput = (
  template: NonNullable<TerminateStep["output_template"]>,
  names: Scope,
): Record<string, unknown> => jsonOf(renderMapping(template, names, "coerced"), new Set()) as Record<string, unknown>;

/** What JSON cannot hold becomes text: an odd value must not cost the ending its reason. */
function jsonOf(value: unknown, above: Set<unknown>): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || above.has(value)) return String(value);
  const within = new Set(above).add(value);
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, within));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, jsonOf(item, within)]));
}

export const terminateOutput = ({ status, reason }: PreparedTermination, node: string) => ({
  status,
  reason,
  terminated_by: node,
});
