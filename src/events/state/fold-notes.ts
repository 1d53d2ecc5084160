// The fold's share for events that only leave a warning.
import type { RunEvent } from "../registry.ts";
import type { RunState } from "./state.ts";
import { type Said, warn } from "./warnings.ts";

export function warnOf(state: RunState, event: RunEvent): void {
  const said = saidBy(event);
  if (said) warn(state, { ...said, path: event.path });
}

function saidBy(event: RunEvent): Omit<Said, "path"> | undefined {
  switch (event.type) {
    case "warning":
      return { kind: "note", node: event.data.node, message: event.data.message };
    case "skill_injection_warning":
      return { kind: "note", node: event.data.agent_name, message: event.data.message };
    case "errors_jsonl_write_failed": {
      const { path, reason } = event.data;
      const message = `errors.jsonl could not be written at ${path}: ${reason}. The errors are in this result and in the run's events.`;
      return { kind: "errors_jsonl", node: null, message };
    }
    case "budget_exceeded": {
      const { budget_mode, budget_usd, spent_usd, agent_name } = event.data;
      if (budget_mode === "enforce") return undefined;
      const message = `the run has spent $${spent_usd.toFixed(4)}, more than its budget of $${budget_usd}; budget_mode is ${budget_mode}, so it goes on`;
      return { kind: "budget", node: agent_name, message };
    }
    case "hook_ran":
      if (event.data.ok) return undefined;
      return {
        kind: "hook",
        node: null,
        message: `the hook ${event.data.hook} failed: ${event.data.message ?? "it gave no reason"}`,
      };
    case "escalation_failed":
      return {
        kind: "escalation",
        node: event.data.node,
        message: `the escalation did not get through: ${event.data.message}`,
      };
    default:
      return undefined;
  }
}
