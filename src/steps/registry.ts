// Every step type by name. Adding one is a file with its executor, and a line here.
import type { StepType } from "../language/schema/index.ts";
import { agent } from "./agent.ts";
import type { Executor, Preparer } from "./executor.ts";
import { http } from "./http.ts";
import { humanGate } from "./human-gate.ts";
import { mcp } from "./mcp.ts";
import { questions } from "./questions.ts";
import { script } from "./script.ts";
import { set } from "./set.ts";
import { terminate } from "./terminate.ts";
import { wait } from "./wait.ts";
import { workflow } from "./workflow.ts";

/** Types whose work is the engine's: asking, running a child, ending. To execute one here is a defect. */
const byEngine = <Step, Prepared>(preparer: Preparer<Step, Prepared>): Executor<Step, Prepared> => ({
  ...preparer,
  execute: () => Promise.reject(new Error(`a step of type ${preparer.type} is carried out by the engine`)),
});

export const EXECUTORS: Readonly<Record<StepType, Executor<never, unknown>>> = {
  agent,
  script,
  http,
  mcp,
  set,
  wait,
  human_gate: byEngine(humanGate),
  questions: byEngine(questions),
  workflow: byEngine(workflow),
  terminate: byEngine(terminate),
};

/** The executor of a step's type, which loading has checked. */
export function executorOf(type: string): Executor<never, unknown> {
  const executor = Object.hasOwn(EXECUTORS, type) ? EXECUTORS[type as StepType] : undefined;
  if (executor === undefined) throw new Error(`there is no step type ${type}`);
  return executor;
}
