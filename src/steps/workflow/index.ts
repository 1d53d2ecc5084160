// The step type `workflow`: another file, which the engine runs as a child, so it has no executor.
import { declaredFields, type StepType } from "../step-type.ts";
import { type WorkflowStep, workflowStep } from "./schema.ts";

export const workflow = {
  description: "runs another workflow file",
  schema: workflowStep,
  alsoCalled: ["subworkflow", "sub_workflow"],
  output: "the child's output",
  templates: ["input_mapping"],
  raises: ({ raises }) => [
    "subworkflow.terminated",
    "subworkflow.failed",
    ...(raises ? ["internal.undeclared_kind"] : []),
  ],
  shape: ({ output, workflow: file }, childShape) => (output ? declaredFields(output) : childShape(file)),
  intent: (_, { workflow: file }) => ({ workflow: file }),
  answeredBy: "nothing",
} as const satisfies StepType<WorkflowStep>;
