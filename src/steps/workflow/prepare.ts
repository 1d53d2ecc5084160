// `type: workflow`. Which child to run with which inputs; the child itself is the engine's.

import type { Preparer, StepScope } from "../step-type.ts";
import { type DeclaredField, renderFields } from "../values.ts";
import type { WorkflowStep } from "./schema.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface PreparedWorkflow {
  readonly workflow: string;
  /** Absent without `input_mapping`: the child gets those of the parent's inputs that it declares. */
  readonly inputs?: Fields;
  readonly max_depth?: number;
}

export const workflow: Preparer<WorkflowStep, PreparedWorkflow> = {
  type: "workflow",
  version: 1,
  prepare: (step, scope) => prepareCall(step, scope, {}),
};

/** `declared` are the inputs of the child: their types win over what the text looks like. */
export function prepareCall(
  step: WorkflowStep,
  { names }: StepScope,
  declared: Readonly<Record<string, DeclaredField>>,
): PreparedWorkflow {
  const { input_mapping: mapping, max_depth } = step;
  return {
    workflow: step.workflow,
    ...(mapping ? { inputs: renderFields(declared, withTexts(mapping, declared), names, "coerced") } : {}),
    ...(max_depth === undefined ? {} : { max_depth }),
  };
}

/** A number or a boolean that the file maps to a string is its text, as in Conductor. */
const withTexts = (mapping: Fields, declared: Readonly<Record<string, DeclaredField>>): Fields =>
  Object.fromEntries(
    Object.entries(mapping).map(([name, value]) => {
      const isScalar = typeof value === "number" || typeof value === "boolean";
      return [
        name,
        isScalar && Object.hasOwn(declared, name) && declared[name]?.type === "string" ? String(value) : value,
      ];
    }),
  );
