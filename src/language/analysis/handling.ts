// Where a kind ends up: the step's error routes, the group's if it is a member, then the workflow's `error_routes`.
// A retry or a condition only comes first; what counts is the route that takes the error for certain.
import { isCatchAll, isEngineKind, matches, type Selector, selectorWords, traitsOf } from "../../base/errors/index.ts";
import { compileCondition, type Reference, references, TemplateError } from "../../template/index.ts";
import type { LoadedWorkflow, NodePath } from "../loaded.ts";
import type { Route } from "../schema/index.ts";
import type { FlowNode, Nodes, StepNode } from "./nodes.ts";
import { ANY } from "./raises.ts";
import { actionOf, catchesEverything, fallsThrough, hasCondition, isErrorRoute, selectorOf } from "./routes.ts";
import { looksLikeTemplate } from "./shapes.ts";

interface RouteTable {
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

// What `resilience` does about a kind that no route takes: tries again, keeps a letter, or escalates. Afterwards the
// error is unhandled all the same.

export interface ByResilience {
  readonly retries?: number;
  readonly dead_letter?: true;
  readonly escalate?: true;
  /** Of kinds that are not known: only these are tried again and kept, the rest are escalated. */
  readonly only?: readonly string[];
}

/** Nothing when the file has no `resilience`, or it leaves this kind alone. */
export function byResilience(kind: string, { definition }: LoadedWorkflow): ByResilience | undefined {
  const { resilience } = definition.workflow;
  if (!resilience) return undefined;
  const { retry, dead_letter, escalate } = resilience;
  const only = kind === ANY ? authorsSelectors(retry?.retryable) : [];
  const retryable = retry?.retryable ? matches(retry.retryable, kind) : kind !== ANY && traitsOf(kind).retryable;
  const mayRetry = retryable || only.length > 0;
  const retries = mayRetry ? (retry?.max_retries ?? 0) : 0;
  const done: ByResilience = {
    ...(retries > 0 ? { retries } : {}),
    ...(mayRetry && dead_letter ? { dead_letter: true as const } : {}),
    ...(!retryable && escalate ? { escalate: true as const } : {}),
  };
  if (Object.keys(done).length === 0) return undefined;
  return !retryable && (done.retries !== undefined || done.dead_letter) ? { ...done, only } : done;
}

/** Those of a list that an author's kind may match, unless it matches everything. */
const authorsSelectors = (retryable: Selector | undefined): readonly string[] =>
  retryable === undefined
    ? []
    : selectorWords(retryable).filter((word) => word !== "*" && !isEngineKind(word.replace(/\*$/, "any")));

const ALWAYS_THERE: ReadonlySet<unknown> = new Set("kind message details raised_at propagated attempts".split(" "));

function isSafe({ path, guarded }: Reference, bare: boolean): boolean {
  if (guarded) return true;
  const [root, field, ...rest] = path;
  if (root === "workflow" || root === "context") return true;
  if (root === "error")
    return field === undefined || (ALWAYS_THERE.has(field) && (field !== "details" || rest.length === 0));
  return bare && ALWAYS_THERE.has(root) && (root !== "details" || field === undefined);
}

/** A text that does not parse is another rule's to tell of; such a file does not run. */
function isReadSafely(read: () => readonly Reference[], bare: boolean): boolean {
  try {
    return read().every((reference) => isSafe(reference, bare));
  } catch (error) {
    if (error instanceof TemplateError) return true;
    throw error;
  }
}

function routeIsSafe({ when, halt }: Route): boolean {
  const condition =
    when === undefined || isReadSafely(() => compileCondition(when).references, !looksLikeTemplate(when));
  return condition && (halt === undefined || isReadSafely(() => references(halt.message), false));
}

/**
 * Whether reading a node's error routes can itself fail: then the error is unhandled at once, whatever stands below. A
 * text that looks only at the envelope's own fields cannot; one that reads an output field may. Whether an error route
 * that can be read for this node may fail while it is read.
 */
export function routesMayFail(tables: readonly RouteTable[]): boolean {
  for (const { routes } of tables)
    for (const route of routes) {
      if (!isErrorRoute(route)) continue;
      if (!routeIsSafe(route)) return true;
      if (catchesEverything(route)) return false;
    }
  return false;
}
