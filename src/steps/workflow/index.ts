import type { StepType } from "../step-type.ts";
import { type WorkflowStep, workflowStep } from "./schema.ts";

export const workflow = {
  description: "runs another workflow file",
  schema: workflowStep,
  alsoCalled: ["subworkflow", "sub_workflow"],
} as const satisfies StepType<WorkflowStep>;
