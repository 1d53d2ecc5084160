import type { StepType } from "../step-type.ts";
import { type AgentStep, agentStep } from "./schema.ts";

export const agent = {
  description: "asks a model",
  schema: agentStep,
  executor: () => import("./run.ts").then(({ agent }) => agent),
  alsoCalled: ["llm", "model", "prompt"],
} as const satisfies StepType<AgentStep>;
