import type { FlowNode, Nodes } from "../analysis/nodes.ts";
import { append, type Edge, END, STOP } from "../analysis/routes.ts";
import { writtenAt } from "../loaded.ts";
import { allowedWork } from "../schema/section-defaults.ts";
import { code, defineRule } from "./rule.ts";

const LIMIT = ["workflow", "limits", "max_iterations"];

export const moreStepsThanMaxIterations = defineRule({
  name: "more-steps-than-max-iterations",
  severity: "warning",
  description:
    "The shortest way to an end fits into `limits.max_iterations`, which is 10 in a file with `agents:` that does not say otherwise. Every step counts, and each member of a parallel group.",
  example: "limits: { max_iterations: 3 }   # and four steps in a row",
  *check(context) {
    const { facts, workflow } = context;
    const { iterations: max_iterations } = allowedWork(workflow.definition);
    if (!facts.pathsKnown || mostExecutions(facts.nodes) <= max_iterations) return;
    const needed = fewestExecutions(facts.graph.entry, facts.graph.edges, facts.nodes);
    if (needed === undefined || needed <= max_iterations) return;
    const isWritten = writtenAt(workflow.raw, LIMIT) !== undefined;
    yield context.finding(
      isWritten ? LIMIT : ["workflow"],
      `The shortest way to an end takes ${needed} steps, and \`limits.max_iterations\` is ${max_iterations}${isWritten ? "" : " when the file does not say otherwise"}, so every run would be stopped before its end. Set ${code(`limits: { max_iterations: ${needed} }`)} or more; loops and retries count too.`,
      { at: isWritten ? "value" : "key", suggestions: [`max_iterations: ${needed}`] },
    );
  },
});

// How many executions the shortest way through a file takes when every step succeeds: less than this no run can do with.

/** What a visit counts at least: a parallel group counts its members, and a terminate step runs even at the limit. */
function executionsOf(node: FlowNode): number {
  if (node.type === "parallel") return node.members.length;
  return node.type === "terminate" ? 0 : 1;
}

/** No way through the file can take more than this. */
const mostExecutions = (nodes: Nodes): number => nodes.all.reduce((sum, node) => sum + executionsOf(node), 0);

/** The fewest executions from the entry point to an end; undefined when success alone leads to none. */
function fewestExecutions(entry: string, edges: readonly Edge[], nodes: Nodes): number | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to, on } of edges) if (on === "success") append(next, from, to);
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
