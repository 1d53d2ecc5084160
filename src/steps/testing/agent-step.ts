// An agent step with nothing unusual about it.
import type { AgentStep } from "../agent/schema.ts";

export const agentStep = (fields: Partial<AgentStep> = {}): AgentStep => ({
  type: "agent",
  name: "probe",
  input: [],
  routes: [],
  raise_when: [],
  prompt: "Review.",
  plugins: [],
  cache: false,
  ...fields,
});
