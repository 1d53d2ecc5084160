import type { StepType } from "../step-type.ts";
import { type HttpStep, httpStep } from "./schema.ts";

export const http = {
  description: "sends one HTTP request",
  schema: httpStep,
  executor: () => import("./run.ts").then(({ http }) => http),
  alsoCalled: ["fetch", "request", "rest"],
} as const satisfies StepType<HttpStep>;
