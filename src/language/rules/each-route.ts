// Every route of a file with its place: those of steps, of groups, and the workflow's `error_routes`.
import type { Facts } from "../analysis/facts.ts";
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

interface FileRoutes {
  readonly lists: readonly RouteList[];
  readonly all: readonly PlacedRoute[];
}

/** Many rules go through all routes, so they are gathered once for each file. */
const gathered = new WeakMap<Facts, FileRoutes>();

function routesOf({ workflow, facts }: RuleContext): FileRoutes {
  const known = gathered.get(facts);
  if (known) return known;
  const placed = (routes: readonly Route[], path: NodePath, node: FlowNode | undefined): RouteList => ({
    node,
    routes: routes.map((route, index) => ({ route, path: [...path, index], node })),
  });
  const lists = [
    ...facts.nodes.all.map((node) => placed(node.routes, [...node.path, "routes"], node)),
    placed(workflow.definition.workflow.error_routes ?? [], ["workflow", "error_routes"], undefined),
  ];
  const routes: FileRoutes = { lists, all: lists.flatMap(({ routes: own }) => own) };
  gathered.set(facts, routes);
  return routes;
}

/** The lists of routes of a file, each as one list. */
export const routeLists = (context: RuleContext): readonly RouteList[] => routesOf(context).lists;

export const eachRoute = (context: RuleContext): readonly PlacedRoute[] => routesOf(context).all;
