// The step type `human_gate`: a choice that a person makes. The engine asks for it, so it has no executor.
import { onlyFields, type StepType } from "../step-type.ts";
import { type HumanGateStep, humanGateStep } from "./schema.ts";

const TEXTS = ["prompt", "options.*.label", "options.*.description"];

export const humanGate = {
  description: "asks a person to choose",
  schema: humanGateStep,
  alsoCalled: ["gate", "approval", "human"],
  output: "`{selected, choice, additional_input}`",
  templates: TEXTS,
  seesAll: TEXTS,
  inputsByName: true,
  asksPeople: true,
  raises: ({ timeout, on_timeout }) => [
    // An answer may come from anywhere, and need not be one that was offered.
    "internal.bad_value",
    ...(timeout !== undefined && on_timeout === undefined ? ["gate.timeout"] : []),
  ],
  shape: () => onlyFields("selected", "choice", "additional_input"),
  occupies: "nothing",
  answeredBy: "gates",
} as const satisfies StepType<HumanGateStep>;
