// How many executions the shortest way through a file takes when every step succeeds: less than this no run can do with.
import type { FlowNode, Nodes } from "./nodes.ts";
import { END } from "./routes.ts";
import { type Edge, STOP } from "./wiring.ts";

/** What a visit counts at least: a parallel group counts its members, and a terminate step runs even at the limit. */
function executionsOf(node: FlowNode): number {
  if (node.type === "parallel") return node.members.length;
  return node.type === "terminate" ? 0 : 1;
}

/** No way through the file can take more than this. */
export function mostExecutions(nodes: Nodes): number {
  return nodes.all.reduce((sum, node) => sum + executionsOf(node), 0);
}

/** The fewest executions from the entry point to an end; undefined when success alone leads to none. */
export function fewestExecutions(entry: string, edges: readonly Edge[], nodes: Nodes): number | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to, on } of edges) {
    if (on !== "success") continue;
    const list = next.get(from);
    if (list) list.push(to);
    else next.set(from, [to]);
  }
  // Counts are small whole numbers, so names wait in a list by count, and the nearest are always taken first.
  const waiting: string[][] = [[entry]];
  const seen = new Set<string>();
  for (let count = 0; count < waiting.length; count++)
    for (const names = waiting[count] ?? []; names.length > 0; ) {
      const name = names.pop() ?? END;
      if (name === END || name === STOP) return count;
      const node = nodes.get(name);
      if (!node || seen.has(name)) continue;
      seen.add(name);
      const reached = count + executionsOf(node);
      waiting[reached] ??= [];
      waiting[reached].push(...(next.get(name) ?? []));
    }
  return undefined;
}
