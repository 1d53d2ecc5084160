import type { StepType } from "../step-type.ts";
import { type HumanGateStep, humanGateStep } from "./schema.ts";

export const humanGate = {
  description: "asks a person to choose",
  schema: humanGateStep,
  alsoCalled: ["gate", "approval", "human"],
} as const satisfies StepType<HumanGateStep>;
