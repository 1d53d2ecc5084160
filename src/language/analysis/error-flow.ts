// What a workflow can raise, where each kind is handled, and what leaves the file: `segno errors` prints this, and
// the rules about error routes ask it. Sub-workflows are followed to any depth, files that call themselves included.
import type { LoadedWorkflow } from "../loaded.ts";
import { buildGraph, type Graph } from "./graph.ts";
import { describeAction, settle, settledInGroup, tablesFor } from "./handling.ts";
import { type FlowNode, listNodes, type Nodes, type StepNode } from "./nodes.ts";
import { type ChildKinds, canRaise, groupRaises, type Raise, type RaiseSource, stepRaises } from "./raises.ts";
import { routesMayFail } from "./risky-routes.ts";
import { isErrorRoute } from "./routes.ts";
import { looksLikeTemplate } from "./templates.ts";

export interface HandledBy {
  readonly line: number;
  readonly action: string;
  readonly to?: string;
  /** Whose error routes: the step's own, its group's, or the workflow's `error_routes`. */
  readonly table: "step" | "group" | "workflow";
}

export interface KindFlow {
  readonly kind: string;
  readonly source: RaiseSource;
  /** The route that takes it for certain; absent when it can leave the file. */
  readonly handled_by?: HandledBy;
  /** Routes that may act before that: retries, and routes with a condition. */
  readonly first?: readonly HandledBy[];
}

export interface StepFlow {
  readonly node_id: string;
  readonly type: string;
  readonly group?: string;
  readonly raises: readonly KindFlow[];
}

export interface UnhandledKind {
  readonly kind: string;
  readonly node_id: string;
  readonly source: RaiseSource;
  readonly group?: string;
}

export interface ErrorFlow {
  readonly steps: readonly StepFlow[];
  readonly unhandled: readonly UnhandledKind[];
}

interface FileFlow extends ErrorFlow {
  /** What a parent gets to see: everything unhandled, and an `output:` that does not render. */
  readonly leaving: ReadonlySet<string>;
}

interface File {
  readonly workflow: LoadedWorkflow;
  readonly nodes: Nodes;
  readonly graph: Graph;
}

/**
 * Says for every step which kinds it may raise and which route takes each.
 *
 * @example
 * errorFlow(workflow).unhandled // [{ kind: "external.npm.gone", node_id: "publish", source: "declared" }]
 */
export function errorFlow(workflow: LoadedWorkflow): ErrorFlow {
  const { steps, unhandled } = flowOf(workflow);
  return { steps, unhandled };
}

/** The kinds that each workflow below `root` lets out, `root` included: a fixpoint, since files may call each other. */
function flowOf(root: LoadedWorkflow): FileFlow {
  const files = filesBelow(root);
  const leaving = new Map<LoadedWorkflow, ReadonlySet<string>>();
  const childKinds: ChildKinds = (child) => leaving.get(child) ?? new Set();
  let result: FileFlow = { steps: [], unhandled: [], leaving: new Set() };
  for (let changed = true; changed; ) {
    changed = false;
    for (const file of files) {
      const flow = fileFlow(file, childKinds);
      if (flow.leaving.size !== (leaving.get(file.workflow)?.size ?? 0)) changed = true;
      leaving.set(file.workflow, flow.leaving);
      if (file.workflow === root) result = flow;
    }
  }
  return result;
}

/** Children first, so that most files settle in one round. */
function filesBelow(root: LoadedWorkflow): readonly File[] {
  const seen = new Set<LoadedWorkflow>();
  const files: File[] = [];
  const visit = (workflow: LoadedWorkflow): void => {
    if (seen.has(workflow)) return;
    seen.add(workflow);
    for (const child of workflow.children.values()) visit(child);
    const nodes = listNodes(workflow);
    files.push({ workflow, nodes, graph: buildGraph(workflow, nodes, (node) => canRaise(node, nodes, workflow)) });
  };
  visit(root);
  return files;
}

/** The kinds that each node may raise, a group's gathered from its members and their stand-ins. */
export function raisesByNode(
  workflow: LoadedWorkflow,
  nodes: Nodes,
  childKinds: ChildKinds,
): ReadonlyMap<FlowNode, readonly Raise[]> {
  const found = new Map<FlowNode, readonly Raise[]>();
  for (const node of nodes.all)
    if (node.kind === "step") found.set(node, stepRaises(node, nodes, workflow, childKinds));
  for (const node of nodes.all) {
    if (node.kind !== "group") continue;
    const kinds = new Map<string, RaiseSource>();
    const add = ({ kind, source }: Raise): void => {
      if (!kinds.has(kind)) kinds.set(kind, source);
    };
    groupRaises(node).forEach(add);
    for (const member of node.members.map((name) => memberOf(nodes, name, node.name))) {
      if (!member) continue;
      for (const raise of found.get(member) ?? []) if (!settledInGroup(raise.kind, member)) add(raise);
      for (const route of member.routes) {
        const standIn = isErrorRoute(route) && route.to !== undefined ? nodes.get(route.to) : undefined;
        if (standIn) (found.get(standIn) ?? []).forEach(add);
      }
    }
    found.set(
      node,
      [...kinds].map(([kind, source]) => ({ kind, source })),
    );
  }
  return found;
}

const memberOf = (nodes: Nodes, name: string, group: string): StepNode | undefined =>
  nodes.all.find((node): node is StepNode => node.kind === "step" && node.name === name && node.groups.includes(group));

function fileFlow({ workflow, nodes, graph }: File, childKinds: ChildKinds): FileFlow {
  const raises = raisesByNode(workflow, nodes, childKinds);
  const defaults = workflow.definition.workflow.error_routes ?? [];
  const steps: StepFlow[] = [];
  const unhandled: UnhandledKind[] = [];
  const lineOf = (path: readonly (string | number)[]): number => workflow.positions.at(path).line;

  for (const node of nodes.all) {
    const tables = tablesFor(node, nodes, defaults);
    const group = node.kind === "step" ? node.groups[0] : undefined;
    const own = new Set(node.kind === "group" ? groupRaises(node).map(({ kind }) => kind) : []);
    const kinds: KindFlow[] = [];
    const runs = !graph.rooted || !nodes.complete || graph.reachable.has(node.name);
    const leave = (kind: string, source: RaiseSource): void => {
      if (runs) unhandled.push({ kind, node_id: node.name, source, ...(group === undefined ? {} : { group }) });
    };
    for (const { kind, source } of raises.get(node) ?? []) {
      const { by, first, leaves } = settle(kind, tables);
      const show = ({ route, table, path }: NonNullable<typeof by>): HandledBy => ({
        line: lineOf(path),
        ...describeAction(route),
        table,
      });
      kinds.push({
        kind,
        source,
        ...(by ? { handled_by: show(by) } : {}),
        ...(first.length > 0 ? { first: first.map(show) } : {}),
      });
      // What a member leaves to its group is told of the member, once.
      if (leaves && (node.kind === "step" || own.has(kind))) leave(kind, source);
    }
    const told = unhandled.some((entry) => entry.node_id === node.name && entry.kind === "internal.template_error");
    if (kinds.length > 0 && !told && routesMayFail(tables)) leave("internal.template_error", "engine");
    steps.push({ node_id: node.name, type: node.type, ...(group === undefined ? {} : { group }), raises: kinds });
  }

  const leaving = new Set(unhandled.map(({ kind }) => kind));
  const outputs = Object.values(workflow.definition.output ?? {});
  if (outputs.some((value) => looksLikeTemplate(JSON.stringify(value) ?? ""))) leaving.add("internal.template_error");
  return { steps, unhandled, leaving };
}

/** The kinds that a child lets out, for rules that look at one file. */
export function leavingKinds(workflow: LoadedWorkflow): ReadonlySet<string> {
  return flowOf(workflow).leaving;
}
