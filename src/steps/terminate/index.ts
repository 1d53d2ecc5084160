// The step type `terminate`: the end of its workflow. The engine carries it out, so it has no executor.
import { onlyFields, type StepType } from "../step-type.ts";
import { type TerminateStep, terminateStep } from "./schema.ts";

export const terminate = {
  description: "ends its workflow",
  schema: terminateStep,
  alsoCalled: ["end", "stop", "exit"],
  output: "`{status, reason, terminated_by}`",
  templates: ["reason", "output_template"],
  seesAll: ["output_template"],
  // The readers of a good end rely on its output; a bad end has nothing better to report.
  forgives: ({ status }: TerminateStep) => (status === "success" ? ["reason"] : ["reason", "output_template"]),
  inputsByName: true,
  raises: () => [],
  shape: () => onlyFields("status", "reason", "terminated_by"),
  occupies: "nothing",
  answeredBy: "nothing",
} as const satisfies StepType<TerminateStep>;
