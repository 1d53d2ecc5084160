// `type: workflow`. Which child to run with which inputs; the child itself is the engine's.
import type { WorkflowStep } from "../language/schema/index.ts";
import type { Preparer } from "./executor.ts";
import { renderMapping } from "./values.ts";

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

  prepare(step, { names }) {
    return {
      workflow: step.workflow,
      ...(step.input_mapping ? { inputs: renderMapping(step.input_mapping, names, "coerced") } : {}),
      ...(step.max_depth === undefined ? {} : { max_depth: step.max_depth }),
    };
  },
};
