// What may be taken of one route, so that every analysis answers alike, and the edges of a file: from every step and
// group to what may run next. Which route is taken at run time is the engine's to decide.
import { isCatchAll, isSelectorWord, type Selector } from "../../base/errors/index.ts";
import type { LoadedWorkflow } from "../loaded.ts";
import type { Route, Step } from "../schema/index.ts";
import type { FlowNode, Nodes } from "./nodes.ts";

export const END = "$end";

export type Action = "to" | "retry" | "halt" | "propagate";

/** The actions that a route names. Exactly one is right, or `retry` with `to`. */
export function actionsOf(route: Route): readonly Action[] {
  const actions: Action[] = [];
  if (route.to !== undefined) actions.push("to");
  if (route.retry !== undefined) actions.push("retry");
  if (route.halt !== undefined) actions.push("halt");
  if (route.propagate === true) actions.push("propagate");
  return actions;
}

export const isErrorRoute = (route: Route): boolean => route.on_error !== undefined;
export const isSuccessRoute = (route: Route): boolean => route.on_error === undefined;
export const hasCondition = (route: Route): boolean => route.when !== undefined && route.when !== null;

/** What the route matches, or nothing when `on_error` is malformed (another rule says so). */
export function selectorOf(route: Route): Selector | undefined {
  const selector: unknown = route.on_error;
  if (selector === true) return true;
  if (typeof selector === "string") return isSelectorWord(selector) ? selector : undefined;
  if (!Array.isArray(selector)) return undefined;
  const words = selector.filter((word): word is string => typeof word === "string" && isSelectorWord(word));
  return words.length > 0 ? words : undefined;
}

/** Whether reading goes on below this route once its budget is spent. */
export const fallsThrough = (route: Route): boolean => route.retry !== undefined;

/** Whether nothing below this route can ever be reached by an error. */
export function catchesEverything(route: Route): boolean {
  const selector = selectorOf(route);
  return selector !== undefined && isCatchAll(selector) && !hasCondition(route) && !fallsThrough(route);
}

/** The action as one word for people and tools. */
export function actionOf(route: Route): Action {
  if (route.retry !== undefined) return "retry";
  if (route.halt !== undefined) return "halt";
  if (route.propagate === true) return "propagate";
  return "to";
}

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

/** Adds to the list of a key. */
export const append = <K, V>(lists: Map<K, V[]>, key: K, ...values: readonly V[]): void => {
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
