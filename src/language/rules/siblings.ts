// Who runs beside whom in a group.
import type { Nodes } from "../analysis/nodes.ts";

/** The group that runs both steps at the same time, if there is one. */
export function shareGroup(nodes: Nodes, a: string, b: string): string | undefined {
  const first = nodes.get(a);
  const second = nodes.get(b);
  if (a === b || first?.kind !== "step" || second?.kind !== "step") return undefined;
  return first.groups.find((group) => second.groups.includes(group));
}
