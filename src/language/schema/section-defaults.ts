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
  limits: { budget_mode: "audit" },
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

/** How far a run of a workflow may go. */
export interface AllowedWork {
  /** Step executions. */
  readonly iterations: number;
  /** Visits of one step. */
  readonly visits: number;
}

/** `asked`: what counts in place of the file's limits, where a person allows a run more. */
export function allowedWork(
  { workflow, semantics }: Pick<WorkflowFile, "workflow" | "semantics">,
  asked: { readonly maxIterations?: number | undefined; readonly maxVisits?: number | undefined } = {},
): AllowedWork {
  const { max_iterations = asked.maxIterations, max_visits } = workflow.limits;
  // Where the number of executions is limited, a step may be visited as often as it likes.
  const visits = max_iterations === undefined ? (max_visits ?? semantics.mostVisits) : "unlimited";
  // Who limits the visits of a step means that and not a number of steps.
  const iterations = max_iterations ?? (max_visits === undefined ? semantics.mostIterations : "unlimited");
  return { iterations: asked.maxIterations ?? numberOf(iterations), visits: asked.maxVisits ?? numberOf(visits) };
}

const numberOf = (limit: number | "unlimited"): number => (limit === "unlimited" ? Number.POSITIVE_INFINITY : limit);

/** The two names of an agent's timeout. `timeout` and `timeout_seconds` of an agent are one; both are set. */
export function withTimeout(step: AgentStep): AgentStep {
  const seconds = step.timeout_seconds ?? step.timeout;
  return seconds === undefined ? step : { ...step, timeout: seconds, timeout_seconds: seconds };
}
