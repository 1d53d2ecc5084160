// The path that a run took, as a drawing needs it: which nodes ran and how they stand, which routes were taken.
import { callerOfSlot } from "../events/key.ts";
import type { RunEvent } from "../events/registry.ts";
import type { NodeStatus } from "./picture.ts";

/** Items of a for_each share one drawing. */
const lightOf = (path: readonly string[], node: string): string =>
  [...path.map((slot) => callerOfSlot(slot)), node].join("/");

export interface Lights {
  statusOf(path: readonly string[], node: string): NodeStatus;
  /** Whether a route was taken; `index` is its place in the step's table, null for a gate's own routes. */
  isTaken(path: readonly string[], from: string, to: string, index: number | null): boolean;
  isRetried(path: readonly string[], node: string, index: number): boolean;
  /** Whether one of the workflow's `error_routes` was taken. */
  isDefaultTaken(path: readonly string[], to: string, index: number): boolean;
}

export function lightsOf(events: Iterable<RunEvent>): Lights {
  const statuses = new Map<string, NodeStatus>();
  const taken = new Set<string>();
  /** Groups that went on without some of their items: done, and not all well. */
  const lossy = new Set<string>();
  for (const event of events) {
    const { path } = event;
    switch (event.type) {
      case "agent_started":
        statuses.set(lightOf(path, event.data.agent_name), "running");
        break;
      case "parallel_completed":
      case "for_each_completed": {
        const group = lightOf(path, event.data.group_name);
        if (event.data.failure_count > 0) lossy.add(group);
        else lossy.delete(group);
        break;
      }
      case "agent_completed":
      case "agent_reused": {
        const node = lightOf(path, event.data.agent_name);
        statuses.set(node, lossy.has(node) ? "recovered" : "completed");
        break;
      }
      case "agent_failed":
        statuses.set(lightOf(path, event.data.agent_name), "failed");
        break;
      case "error_recovered":
        statuses.set(lightOf(path, event.data.node), "recovered");
        break;
      case "error_routed": {
        const { node, route, to, action } = event.data;
        if (to !== undefined) statuses.set(lightOf(path, node), "recovered");
        const owner = route.table === "workflow" ? `${lightOf(path, "")} default` : lightOf(path, node);
        taken.add(`${owner} ${route.index} ${to ?? (action === "retry" ? "again" : "")}`);
        break;
      }
      case "route_taken": {
        const { from_agent, to_agent, route } = event.data;
        taken.add(`${lightOf(path, from_agent)} ${route?.index ?? "by answer"} ${to_agent}`);
        break;
      }
    }
  }
  return {
    statusOf: (path, node) => statuses.get(lightOf(path, node)) ?? "unlit",
    // The target counts too: the file may have been edited since the run.
    isTaken: (path, from, to, index) => taken.has(`${lightOf(path, from)} ${index ?? "by answer"} ${to}`),
    isRetried: (path, node, index) => taken.has(`${lightOf(path, node)} ${index} again`),
    isDefaultTaken: (path, to, index) => taken.has(`${lightOf(path, "")} default ${index} ${to}`),
  };
}
