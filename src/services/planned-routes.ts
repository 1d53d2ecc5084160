// Where a step may lead, as a plan says it: one text for each route and for each answer of a gate.
import type { LoadedWorkflow } from "../language/loaded.ts";
import type { Step } from "../language/schema/index.ts";

/** As a graph says it. */
const kindsOf = (selector: unknown): string =>
  selector === true || selector === "*" ? "any error" : [selector].flat().join(", ");

type AnyRoute = LoadedWorkflow["definition"]["workflow"]["error_routes"][number];

const said = ({ on_error, when, to, retry, halt, propagate }: AnyRoute): string => {
  const condition = [on_error === undefined ? "" : `on ${kindsOf(on_error)}`, when ? `when ${when}` : ""]
    .filter(Boolean)
    .join(" ");
  const action = [
    retry ? `retry ${retry.max}×` : "",
    to ? `→ ${to}` : "",
    halt ? "halt" : "",
    propagate ? "propagate" : "",
  ]
    .filter(Boolean)
    .join(" ");
  return condition ? `${condition}: ${action}` : action;
};

type Routed = Step | { readonly routes: readonly AnyRoute[] };

const routesOf = (node: Routed): readonly AnyRoute[] => ("routes" in node ? node.routes : []);
const optionsOf = (node: Routed) => ("type" in node && node.type === "human_gate" ? node.options : []);
const abortOf = (node: Routed): readonly string[] =>
  "type" in node && node.type === "questions" && node.abort_route ? [node.abort_route] : [];

/** Answers without a route of their own follow the gate's routes. */
export const routesSaid = (node: Routed): readonly string[] => [
  ...optionsOf(node).map(({ value, route }) => `answer ${value}${route ? `: → ${route}` : ""}`),
  ...abortOf(node).map((to) => `aborted: → ${to}`),
  ...routesOf(node).map(said),
];

export const targetsOf = (node: Routed): readonly string[] => [
  ...routesOf(node).flatMap((route) => route.to ?? []),
  ...optionsOf(node).flatMap(({ route }) => route ?? []),
  ...abortOf(node),
];
