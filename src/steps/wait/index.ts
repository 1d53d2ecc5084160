// The step type `wait`: time that passes, on the attempt's clock.
import { onlyFields, type StepType } from "../step-type.ts";
import { type WaitStep, waitStep } from "./schema.ts";

export const wait = {
  description: "lets time pass",
  schema: waitStep,
  executor: () => import("./run.ts").then(({ wait }) => wait),
  alsoCalled: ["sleep", "delay"],
  output: "`{waited_seconds}`",
  templates: ["duration", "reason"],
  raises: () => [],
  shape: () => onlyFields("waited_seconds"),
  occupies: "breaker",
  answeredBy: "nothing",
  events: { noted: ["wait_started", "wait_completed"] },
} as const satisfies StepType<WaitStep>;
