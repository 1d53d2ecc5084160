import type { StepType } from "../step-type.ts";
import { type TerminateStep, terminateStep } from "./schema.ts";

export const terminate = {
  description: "ends its workflow",
  schema: terminateStep,
  alsoCalled: ["end", "stop", "exit"],
} as const satisfies StepType<TerminateStep>;
