import type { StepType } from "../step-type.ts";
import { type SetStep, setStep } from "./schema.ts";

export const set = {
  description: "computes a value from templates",
  schema: setStep,
  executor: () => import("./run.ts").then(({ set }) => set),
} as const satisfies StepType<SetStep>;
