// Every route of a file with its place: those of steps, of groups, and the workflow's `error_routes`.
import type { FlowNode } from "../analysis/nodes.ts";
import type { NodePath } from "../loaded.ts";
import type { Route } from "../schema/index.ts";
import type { RuleContext } from "./rule.ts";

export interface PlacedRoute {
  readonly route: Route;
  readonly path: NodePath;
  /** The step or group it belongs to; undefined for the workflow's `error_routes`. */
  readonly node: FlowNode | undefined;
}

export interface RouteList {
  readonly node: FlowNode | undefined;
  readonly routes: readonly PlacedRoute[];
}

/** The lists of routes of a file, each as one list. */
export function* routeLists({ workflow, facts }: RuleContext): Generator<RouteList> {
  const placed = (routes: readonly Route[], path: NodePath, node: FlowNode | undefined): RouteList => ({
    node,
    routes: routes.map((route, index) => ({ route, path: [...path, index], node })),
  });
  for (const node of facts.nodes.all) yield placed(node.routes, [...node.path, "routes"], node);
  yield placed(workflow.definition.workflow.error_routes ?? [], ["workflow", "error_routes"], undefined);
}

export function* eachRoute(context: RuleContext): Generator<PlacedRoute> {
  for (const { routes } of routeLists(context)) yield* routes;
}
