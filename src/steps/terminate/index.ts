import { onlyFields } from "../output-shape.ts";
import type { StepType } from "../step-type.ts";
import { type TerminateStep, terminateStep } from "./schema.ts";

export const terminate = {
  description: "ends its workflow",
  schema: terminateStep,
  alsoCalled: ["end", "stop", "exit"],
  output: "`{status, reason, terminated_by}`",
  templates: ["reason", "output_template"],
  seesAll: ["output_template"],
  inputsByName: true,
  raises: () => [],
  shape: () => onlyFields("status", "reason", "terminated_by"),
  occupies: "nothing",
  answeredBy: "nothing",
} as const satisfies StepType<TerminateStep>;
