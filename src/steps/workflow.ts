// `type: workflow`. Which child to run with which inputs; the child itself is the engine's.
import type { WorkflowStep } from "../language/schema/index.ts";
import type { Context } from "../template/index.ts";
import type { Preparer, StepScope } from "./executor.ts";
import { renderText, renderValue } from "./values.ts";

export interface PreparedWorkflow {
  /** As written, relative to the step's own file. */
  readonly workflow: string;
  /** Absent without `input_mapping`: the child gets those of the parent's inputs that it declares. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly max_depth?: number;
}

export const workflow: Preparer<WorkflowStep, PreparedWorkflow> = {
  type: "workflow",
  version: 1,
  prepare: (step, scope) => prepareCall(step, scope, () => false),
};

/** `isText` says of which inputs the child declares that they are strings. */
export function prepareCall(
  step: WorkflowStep,
  { names }: StepScope,
  isText: (input: string) => boolean,
): PreparedWorkflow {
  const { input_mapping: mapping, max_depth } = step;
  const mapped = Object.entries(mapping ?? {}).map(
    ([input, value]) => [input, isText(input) ? textOf(value, names) : renderValue(value, names, "coerced")] as const,
  );
  return {
    workflow: step.workflow,
    ...(mapping ? { inputs: Object.fromEntries(mapped) } : {}),
    ...(max_depth === undefined ? {} : { max_depth }),
  };
}

/** What was written or computed as text is not read as a number or a boolean; what is no text at all stays what it is. */
function textOf(value: unknown, names: Context): unknown {
  const made = renderValue(value, names, "coerced");
  const isScalar = typeof made === "number" || typeof made === "boolean";
  if (!isScalar) return made;
  return typeof value === "string" ? renderText(value, names) : String(value);
}
