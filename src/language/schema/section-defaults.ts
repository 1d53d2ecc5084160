// What a section of `workflow:` is when the file does not have it, and what else holds where a file says nothing.
// Written out, so that no schema need be built for it; a test compares.

import type * as z from "zod";
import { stepsOf } from "../loaded.ts";
import type { AgentStep, WorkflowFile } from "./index.ts";
import type { sections } from "./workflow-section.ts";

type Described = Pick<WorkflowFile, "workflow" | "agents" | "for_each">;

export const affinityOf = ({ workflow, agents, for_each }: Described): "worker" | "any" =>
  workflow.runtime.affinity ?? (stepsOf({ agents, for_each }).some(({ type }) => type === "script") ? "worker" : "any");

export const sectionDefaults = {
  context: { mode: "accumulate" },
  limits: { max_iterations: 10, budget_mode: "audit" },
  cost: { show_per_agent: true, show_summary: true, pricing: {} },
  hooks: {},
  runtime: {
    provider: { name: "copilot" },
    mcp_servers: {},
    tool_output: { enabled: true, max_chars: 50_000, spill_to_file: true },
    skills: [],
    limits: [],
    durability: "process",
  },
  resilience: undefined,
} satisfies { readonly [K in keyof typeof sections]: z.output<ReturnType<(typeof sections)[K]>> | undefined };

/** How many step executions a run may have. */
export const mostIterations = ({ max_iterations }: { readonly max_iterations: number | "unlimited" }): number =>
  max_iterations === "unlimited" ? Number.POSITIVE_INFINITY : max_iterations;

/** The two names of an agent's timeout. `timeout` and `timeout_seconds` of an agent are one; both are set. */
export function withTimeout(step: AgentStep): AgentStep {
  const seconds = step.timeout_seconds ?? step.timeout;
  return seconds === undefined ? step : { ...step, timeout: seconds, timeout_seconds: seconds };
}
