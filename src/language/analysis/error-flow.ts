// What a workflow can raise, where each kind is handled, and what leaves the file: `segno errors` prints this, and
// the rules about error routes ask it. Sub-workflows are followed to any depth, files that call themselves included.
import type { LoadedWorkflow, Location, NodePath } from "../loaded.ts";
import type { Route } from "../schema/index.ts";
import { flowMapOf } from "./graph.ts";
import {
  type ByResilience,
  byResilience,
  type ConsideredRoutes,
  describeAction,
  routesMayFail,
  settle,
  settledInGroup,
  tablesFor,
} from "./handling.ts";
import type { FlowNode, Nodes, StepNode } from "./nodes.ts";
import {
  type ChildKinds,
  type GovernedBy,
  governed,
  groupRaises,
  type Raise,
  type RaiseSource,
  stepRaises,
  withRouteKinds,
  writtenAt,
} from "./raises.ts";
import { isErrorRoute } from "./routes.ts";
import { looksLikeTemplate } from "./shapes.ts";

/** A route that takes a kind. */
export interface HandledBy {
  readonly line: number;
  readonly action: string;
  readonly to?: string;
  /** Whose error routes: the step's own, its group's, or the workflow's `error_routes`. */
  readonly table: "step" | "group" | "workflow";
  /** The route's condition, if it has one: it takes the error only when that holds. */
  readonly when?: string;
}

export interface KindFlow {
  readonly kind: string;
  readonly source: RaiseSource;
  /** Of a child's kind: the step that raises it, at any depth. */
  readonly raised_in?: Location;
  /** Of a group: its members may raise it, and if unhandled it is listed with them. */
  readonly of_members?: true;
  /** The route that takes it for certain; absent when it can leave the file. */
  readonly handled_by?: HandledBy;
  /** Routes that may act before that: retries, and routes with a condition. */
  readonly first?: readonly HandledBy[];
  /** The route that raises it to the calling workflow. */
  readonly propagated_by?: HandledBy;
  /** What `resilience` does when no route took it, before it leaves. */
  readonly resilience?: ByResilience;
}

export interface StepFlow {
  readonly node_id: string;
  readonly type: string;
  readonly group?: string;
  /** Where it stands in its file. */
  readonly line: number;
  readonly raises: readonly KindFlow[];
}

export interface UnhandledKind {
  readonly kind: string;
  readonly node_id: string;
  readonly source: RaiseSource;
  readonly raised_in?: Location;
  readonly group?: string;
  /** In this file: the kind where the step declares it, else the step's name; the route that propagates it. */
  readonly location: Location;
}

export interface ErrorFlow {
  /** For each step the kinds that it may raise, and the route that takes each for certain. */
  readonly steps: readonly StepFlow[];
  /** Kinds that can leave the file. */
  readonly unhandled: readonly UnhandledKind[];
}

/** The flow of one file with what other analyses need of it. */
export interface FileFlow extends ErrorFlow {
  readonly raises: ReadonlyMap<FlowNode, readonly Raise[]>;
  /** What a parent gets to see: everything unhandled, and an `output:` that does not render. */
  readonly leaving: ReadonlyMap<string, Location>;
}

/**
 * Says for every step which kinds it may raise and which route takes each.
 *
 * @example
 * errorFlow(workflow).unhandled // [{ kind: "external.npm.gone", node_id: "publish", source: "declared" }]
 */
export function errorFlow(workflow: LoadedWorkflow): ErrorFlow {
  const { steps, unhandled } = fileFlowOf(workflow);
  return { steps, unhandled };
}

/** Every kind that a run of the file can fail with: what leaves it, and what ends it on purpose, at any depth. */
export function endingKinds(workflow: LoadedWorkflow): readonly string[] {
  const seen = new Set<LoadedWorkflow>();
  const halts = (one: LoadedWorkflow): boolean => {
    if (seen.has(one)) return false;
    seen.add(one);
    const all = [
      ...(one.definition.workflow.error_routes ?? []),
      ...flowMapOf(one).nodes.all.flatMap(({ routes }) => routes),
    ];
    return all.some(({ halt }) => halt !== undefined) || [...one.children.values()].some(halts);
  };
  return [...fileFlowOf(workflow).leaving.keys(), ...(halts(workflow) ? ["halt.intentional"] : [])];
}

const settled = new WeakMap<GovernedBy, FileFlow>();

/** The flow of a file that is run by itself. Files may call one another in circles, so what each lets out is a fixpoint over all of them. */
export function fileFlowOf(workflow: LoadedWorkflow): FileFlow {
  const root = governed(workflow);
  const known = settled.get(root);
  if (known) return known;
  const { files, circular } = filesBelow(root);
  const flows = new Map<GovernedBy, FileFlow>();
  const childKindsOf =
    (file: GovernedBy): ChildKinds =>
    (child) => {
      const below = governed(child, file);
      return (settled.get(below) ?? flows.get(below))?.leaving ?? new Map();
    };
  for (let changed = true; changed; ) {
    changed = false;
    for (const file of files) {
      const flow = flowOfFile(file, childKindsOf(file));
      if (circular && flow.leaving.size !== (flows.get(file)?.leaving.size ?? 0)) changed = true;
      flows.set(file, flow);
    }
  }
  for (const [file, flow] of flows) settled.set(file, flow);
  return settled.get(root) ?? flowOfFile(root, childKindsOf(root));
}

/** Files that are not settled yet, children first: without circles one round is enough. */
function filesBelow(root: GovernedBy): { readonly files: readonly GovernedBy[]; readonly circular: boolean } {
  const open = new Set<GovernedBy>();
  const done = new Set<GovernedBy>();
  let circular = false;
  const visit = (file: GovernedBy): void => {
    if (open.has(file)) circular = true;
    if (open.has(file) || done.has(file) || settled.has(file)) return;
    open.add(file);
    for (const child of file.workflow.children.values()) visit(governed(child, file));
    open.delete(file);
    done.add(file);
  };
  visit(root);
  return { files: [...done], circular };
}

/** The kinds that each node may raise, a group's gathered from its members and their stand-ins. */
function raisesByNode(file: GovernedBy, nodes: Nodes, childKinds: ChildKinds): ReadonlyMap<FlowNode, readonly Raise[]> {
  const defaults = file.workflow.definition.workflow.error_routes ?? [];
  const found = new Map<FlowNode, readonly Raise[]>();
  for (const node of nodes.all) {
    if (node.kind !== "step") continue;
    const routes = tablesFor(node, nodes, defaults).flatMap((table) => table.routes);
    found.set(node, withRouteKinds(stepRaises(node, nodes, file, childKinds), routes));
  }
  for (const node of nodes.all) {
    if (node.kind !== "group") continue;
    const kinds = new Map<string, Raise>();
    const add = (raise: Raise): void => {
      if (!kinds.has(raise.kind)) kinds.set(raise.kind, raise);
    };
    groupRaises(node, file).forEach(add);
    for (const member of node.members.map((name) => memberOf(nodes, name, node.name))) {
      if (!member) continue;
      for (const raise of found.get(member) ?? []) if (!settledInGroup(raise.kind, member)) add(raise);
      for (const route of member.routes) {
        const standIn = isErrorRoute(route) && route.to !== undefined ? nodes.get(route.to) : undefined;
        if (standIn) (found.get(standIn) ?? []).forEach(add);
      }
    }
    found.set(node, [...kinds.values()]);
  }
  return found;
}

const memberOf = (nodes: Nodes, name: string, group: string): StepNode | undefined =>
  nodes.all.find((node): node is StepNode => node.kind === "step" && node.name === name && node.groups.includes(group));

function flowOfFile(file: GovernedBy, childKinds: ChildKinds): FileFlow {
  const { workflow } = file;
  const { nodes, graph } = flowMapOf(workflow);
  const raises = raisesByNode(file, nodes, childKinds);
  const defaults = workflow.definition.workflow.error_routes ?? [];
  const steps: StepFlow[] = [];
  const unhandled: UnhandledKind[] = [];
  const leaving = new Map<string, Location>();
  const at = (path: NodePath): Location => workflow.positions.at(path);
  const shown = new Map<Route, HandledBy>();
  const show = ({ route, table, path }: ConsideredRoutes): HandledBy => {
    const known = shown.get(route) ?? {
      line: workflow.positions.at(path).line,
      ...describeAction(route),
      table,
      ...(route.when === undefined ? {} : { when: route.when }),
    };
    shown.set(route, known);
    return known;
  };

  for (const node of nodes.all) {
    const tables = tablesFor(node, nodes, defaults);
    const group = node.kind === "step" ? node.groups[0] : undefined;
    const place = { node_id: node.name, ...(group === undefined ? {} : { group }) };
    const runs = !graph.rooted || !nodes.complete || graph.reachable.has(node.name);
    const own = new Set(node.kind === "group" ? groupRaises(node, file).map(({ kind }) => kind) : []);
    const left = new Set<string>();
    const leave = (raise: Raise, by?: ConsideredRoutes): void => {
      left.add(raise.kind);
      if (!runs) return;
      const written = at(writtenAt(raise, node));
      unhandled.push({ ...raise, ...place, location: by ? at(by.path) : written });
      if (!leaving.has(raise.kind)) leaving.set(raise.kind, raise.raised_in ?? written);
    };
    const kinds = (raises.get(node) ?? []).map((raise): KindFlow => {
      const { kind } = raise;
      const { by, propagatedBy, first, leaves } = settle(kind, tables);
      // A group's errors are its members', and were decided about one by one.
      const resilience = by || propagatedBy || node.kind === "group" ? undefined : byResilience(kind, workflow);
      // What a member leaves to its group is listed with the member, once.
      if (leaves && (node.kind === "step" || own.has(kind))) leave(raise, propagatedBy);
      return {
        ...raise,
        ...(node.kind === "group" && !own.has(kind) ? { of_members: true as const } : {}),
        ...(by ? { handled_by: show(by) } : {}),
        ...(first.length > 0 ? { first: first.map(show) } : {}),
        ...(propagatedBy ? { propagated_by: show(propagatedBy) } : {}),
        ...(resilience ? { resilience } : {}),
      };
    });
    if (kinds.length > 0 && !left.has("internal.template_error") && routesMayFail(tables))
      leave({ kind: "internal.template_error", source: "engine" });
    steps.push({ ...place, type: node.type, line: workflow.positions.at(node.path).line, raises: kinds });
  }

  const outputs = Object.values(workflow.definition.output ?? {});
  if (
    outputs.some((value) => looksLikeTemplate(JSON.stringify(value) ?? "")) &&
    !leaving.has("internal.template_error")
  )
    leaving.set("internal.template_error", at(["output"]));
  return { steps, unhandled, raises, leaving };
}
