// `type: terminate`. How its workflow ends, why, and with which output.
import type { TerminateStep } from "../language/schema/index.ts";
import { BadValue, type Preparer } from "./executor.ts";
import { renderMapping, renderText } from "./values.ts";

export interface PreparedTermination {
  readonly status: "success" | "failed";
  readonly reason: string;
  /** Replaces the workflow's `output:`; absent when that stands. */
  readonly output?: Readonly<Record<string, unknown>>;
}

export const terminate: Preparer<TerminateStep, PreparedTermination> = {
  type: "terminate",
  version: 1,

  prepare(step, scope) {
    const reason = renderText(step.reason, scope.names);
    if (reason.trim() === "")
      throw new BadValue("reason", reason, "the reason must not be empty: say why the workflow ends");
    if (!step.output_template) return { status: step.status, reason };
    const output = renderMapping(step.output_template, scope.everything ?? scope.names, "coerced");
    return { status: step.status, reason, output: jsonOf(output, new Set()) as Record<string, unknown> };
  },
};

/** What JSON cannot hold becomes text: an odd value must not cost the ending its reason. */
function jsonOf(value: unknown, above: Set<unknown>): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || above.has(value)) return String(value);
  const within = new Set(above).add(value);
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, within));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, jsonOf(item, within)]));
}

/** The output of the step itself. */
export const terminateOutput = ({ status, reason }: PreparedTermination, node: string) => ({
  status,
  reason,
  terminated_by: node,
});
