// Where a kind ends up: the step's error routes, the group's if it is a member, then the workflow's `error_routes`.
// A retry or a condition only comes first; what counts is the route that takes the error for certain.
import { isCatchAll, matches } from "../../errors/index.ts";
import type { NodePath } from "../loaded.ts";
import type { Route } from "../schema/index.ts";
import type { FlowNode, Nodes, StepNode } from "./nodes.ts";
import { ANY } from "./raises.ts";
import { actionOf, fallsThrough, hasCondition, isErrorRoute, selectorOf } from "./routes.ts";

export interface RouteTable {
  readonly table: "step" | "group" | "workflow";
  /** The step or group whose table it is, so that a default route never leads to the step that failed. */
  readonly owner: string | null;
  readonly routes: readonly Route[];
  readonly path: NodePath;
}

export interface ConsideredRoutes {
  readonly table: RouteTable["table"];
  readonly route: Route;
  readonly path: NodePath;
}

export interface Settled {
  /** The route that takes the error whatever happens. */
  readonly by?: ConsideredRoutes;
  /** The route that raises it to the caller whatever happens. */
  readonly propagatedBy?: ConsideredRoutes;
  /** Routes that may act before: retries, and routes with a condition. */
  readonly first: readonly ConsideredRoutes[];
  /** Whether the error can leave the file. */
  readonly leaves: boolean;
}

/** The error routes that are read for a node, in the order in which they are read. */
export function tablesFor(node: FlowNode, nodes: Nodes, defaults: readonly Route[]): readonly RouteTable[] {
  const own: RouteTable = {
    table: node.kind === "group" ? "group" : "step",
    owner: node.name,
    routes: node.routes,
    path: [...node.path, "routes"],
  };
  const groups = node.kind === "step" ? node.groups : [];
  const outer = groups.flatMap((name): readonly RouteTable[] => {
    const group = nodes.get(name);
    return group ? [{ table: "group", owner: name, routes: group.routes, path: [...group.path, "routes"] }] : [];
  });
  return [
    own,
    ...outer,
    { table: "workflow", owner: outer[0]?.owner ?? node.name, routes: defaults, path: ["workflow", "error_routes"] },
  ];
}

const takes = (route: Route, kind: string): boolean => {
  const selector = selectorOf(route);
  if (selector === undefined) return false;
  return kind === ANY ? isCatchAll(selector) : matches(selector, kind);
};

/** Follows one kind through the tables. */
export function settle(kind: string, tables: readonly RouteTable[]): Settled {
  const first: ConsideredRoutes[] = [];
  let mayLeave = false;
  const isMember = tables.length > 2;
  for (const [depth, { table, owner, routes, path }] of tables.entries()) {
    for (const [index, route] of routes.entries()) {
      if (!isErrorRoute(route) || !takes(route, kind)) continue;
      if (table === "workflow" && route.to !== undefined && route.to === owner) continue;
      const considered: ConsideredRoutes = { table, route, path: [...path, index] };
      if (route.propagate === true) {
        // For a member this is what happens anyway: the group's table is read next.
        if (isMember && depth === 0) {
          if (hasCondition(route)) continue;
          break;
        }
        if (!hasCondition(route)) return { propagatedBy: considered, first, leaves: true };
        mayLeave = true;
      }
      if (fallsThrough(route) || hasCondition(route)) first.push(considered);
      else return { by: considered, first, leaves: mayLeave };
    }
  }
  return { first, leaves: true };
}

/** Whether a member's own routes take a kind for certain, so that its group never sees it. */
export function settledInGroup(kind: string, member: StepNode): boolean {
  const own: RouteTable = { table: "step", owner: member.name, routes: member.routes, path: [] };
  return settle(kind, [own]).by !== undefined;
}

export const describeAction = (route: Route): { readonly action: string; readonly to?: string } =>
  route.to === undefined ? { action: actionOf(route) } : { action: actionOf(route), to: route.to };
