import type { StepType } from "../step-type.ts";
import { type WaitStep, waitStep } from "./schema.ts";

export const wait = {
  description: "lets time pass",
  schema: waitStep,
  executor: () => import("./run.ts").then(({ wait }) => wait),
  alsoCalled: ["sleep", "delay"],
} as const satisfies StepType<WaitStep>;
