// The two names of an agent's timeout.
import type { AgentStep } from "./schema/index.ts";

/** `timeout` and `timeout_seconds` of an agent are one; both are set. */
export function withTimeout(step: AgentStep): AgentStep {
  const seconds = step.timeout_seconds ?? step.timeout;
  return seconds === undefined ? step : { ...step, timeout: seconds, timeout_seconds: seconds };
}
