// What a run did, as scenarios speak of it.
import type { RunEvent } from "../../events/registry.ts";

export interface Trace {
  /** Every step of any type, each attempt, in order of time; steps of sub-workflows by their plain names. */
  readonly agents_executed: readonly string[];
  readonly scripts_executed: readonly string[];
  readonly gates_presented: readonly string[];
  readonly gates_resolved: Readonly<Record<string, string>>;
  /** `from -> to`. */
  readonly routes_taken: readonly string[];
  readonly errors_raised: readonly { readonly node: string; readonly kind: string }[];
}

export function traceOf(events: readonly RunEvent[]): Trace {
  const agents: string[] = [];
  const scripts: string[] = [];
  const presented: string[] = [];
  const resolved: Record<string, string> = {};
  const routes: string[] = [];
  const errors: { node: string; kind: string }[] = [];
  for (const event of events)
    switch (event.type) {
      case "agent_started":
        agents.push(event.data.agent_name);
        if (event.data.agent_type === "script") scripts.push(event.data.agent_name);
        break;
      case "gate_presented":
      case "questions_presented":
        presented.push(event.data.agent_name);
        break;
      case "gate_resolved":
        resolved[event.data.agent_name] = event.data.selected_option;
        break;
      case "route_taken":
        routes.push(`${event.data.from_agent} -> ${event.data.to_agent}`);
        break;
      case "error_raised":
        errors.push({ node: event.data.node, kind: event.data.error.kind });
        break;
      default:
    }
  return {
    agents_executed: agents,
    scripts_executed: scripts,
    gates_presented: presented,
    gates_resolved: resolved,
    routes_taken: routes,
    errors_raised: errors,
  };
}
