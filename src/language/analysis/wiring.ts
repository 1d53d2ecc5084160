// The edges of a file: from every step and group to what may run next, on success and on error.
import type { LoadedWorkflow } from "../loaded.ts";
import type { Route, Step } from "../schema/index.ts";
import type { FlowNode, Nodes } from "./nodes.ts";
import { catchesEverything, END, isErrorRoute, isSuccessRoute } from "./routes.ts";

/** Ends that leave the workflow's own `output:` unread: a halt, a terminate with its own `output_template`. */
export const STOP = "$stop";

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly on: "success" | "error";
}

export interface Wiring {
  readonly edges: readonly Edge[];
  readonly out: ReadonlyMap<string, readonly Edge[]>;
  /** What runs inside a group when the group runs: its members and the handlers that stand in for them. */
  readonly inside: ReadonlyMap<string, readonly string[]>;
  /** The members that a handler stands in for. */
  readonly standsInFor: ReadonlyMap<string, readonly string[]>;
}

export const targetOf = (route: Route): readonly string[] =>
  route.to !== undefined ? [route.to] : route.halt !== undefined ? [STOP] : [];

/** Where a step goes when it succeeds. */
function successTargets(node: FlowNode): readonly string[] {
  if (node.kind === "step" && node.step.type === "terminate")
    return [node.step.output_template === undefined ? END : STOP];
  const own = node.routes.filter(isSuccessRoute);
  const byRoutes = own.length > 0 ? own.flatMap(targetOf) : [END];
  return node.kind === "group" ? byRoutes : withAnswers(node.step, byRoutes);
}

/** Adds where the answers of people lead. */
function withAnswers(step: Step, byRoutes: readonly string[]): readonly string[] {
  if (step.type === "human_gate") {
    const chosen = step.options.flatMap((option) => (option.route === undefined ? [] : [option.route]));
    return chosen.length === step.options.length && chosen.length > 0 ? chosen : [...chosen, ...byRoutes];
  }
  if (step.type === "questions" && step.allow_abort) return [...byRoutes, step.abort_route ?? END];
  return byRoutes;
}

const append = <K, V>(lists: Map<K, V[]>, key: K, ...values: readonly V[]): void => {
  const list = lists.get(key);
  if (list) list.push(...values);
  else lists.set(key, [...values]);
};

/** Finds the edges. `mayRaise` keeps constants out of the reach of workflow-wide error routes. */
export function wire(workflow: LoadedWorkflow, nodes: Nodes, mayRaise: (node: FlowNode) => boolean): Wiring {
  const edges: Edge[] = [];
  const inside = new Map<string, string[]>();
  const standsInFor = new Map<string, string[]>();
  const defaults = (workflow.definition.workflow.error_routes ?? []).flatMap(targetOf);

  for (const node of nodes.all) {
    const groups = node.kind === "step" ? node.groups : [];
    const errorTargets = node.routes.filter(isErrorRoute).flatMap(targetOf);
    for (const group of groups) append(inside, group, node.name, ...errorTargets.filter((to) => nodes.names.has(to)));
    if (groups.length > 0) for (const to of errorTargets) append(standsInFor, to, node.name);
    if (node.kind === "step" && node.inline) continue;
    for (const to of successTargets(node)) edges.push({ from: node.name, to, on: "success" });
    // A member's error goes to its group.
    if (groups.length > 0) continue;
    for (const to of errorTargets) edges.push({ from: node.name, to, on: "error" });
    if (defaults.length === 0 || !mayRaise(node)) continue;
    if (node.routes.some((route) => isErrorRoute(route) && catchesEverything(route))) continue;
    for (const to of defaults) if (to !== node.name) edges.push({ from: node.name, to, on: "error" });
  }

  const out = new Map<string, Edge[]>();
  for (const edge of edges) append(out, edge.from, edge);
  return { edges, out, inside, standsInFor };
}
