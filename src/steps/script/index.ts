import type { StepType } from "../step-type.ts";
import { type ScriptStep, scriptStep } from "./schema.ts";

export const script = {
  description: "runs a command, without a shell",
  schema: scriptStep,
  executor: () => import("./run.ts").then(({ script }) => script),
  alsoCalled: ["bash", "sh", "shell", "command", "exec", "run", "python"],
} as const satisfies StepType<ScriptStep>;
