// Who may follow whom: success and error edges between steps and groups, and what can be concluded from them.
// Everything is reachability with one node or edge taken out; no list of paths is ever made.
import type { LoadedWorkflow } from "../loaded.ts";
import type { Route, Step } from "../schema/index.ts";
import type { FlowNode, Nodes, StepNode } from "./nodes.ts";
import { catchesEverything, END, fallsThrough, isErrorRoute, isSuccessRoute } from "./routes.ts";

/** Ends that leave the workflow's own `output:` unread: a halt, a terminate with its own `output_template`. */
export const STOP = "$stop";

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly on: "success" | "error";
}

export interface Graph {
  readonly entry: string;
  readonly edges: readonly Edge[];
  /** Whether the entry point is a step or group of this file. */
  readonly rooted: boolean;
  /** What can run at all, members of groups and their handlers included. */
  readonly reachable: ReadonlySet<string>;
  /** What can have run before the first visit to `reader`. */
  before(reader: string): ReadonlySet<string>;
  /** What can run after `name` raised and one of its error routes took the error; `name` itself if it is retried. */
  afterErrorOf(name: string): ReadonlySet<string>;
  /** Whether the workflow's end can be reached without `name` having run. */
  endsWithout(name: string): boolean;
  /** Whether the workflow's end can be reached without an error route of `name` having been taken. */
  endsWithoutErrorOf(name: string): boolean;
  /** Whether an end of any kind can be reached from `name`. */
  canEnd(name: string): boolean;
  /** Whether an error route leads straight to `name`, so that `error` is in its scope. */
  isHandler(name: string): boolean;
  /** Whether `name` runs only in place of failed members, inside their group. */
  onlyStandsIn(name: string): boolean;
  /** Whether `name` runs only as a member of a group. */
  onlyMember(name: string): boolean;
}

/** Where a step goes when it succeeds. */
function successTargets(node: FlowNode): readonly string[] {
  if (node.kind === "step" && node.step.type === "terminate")
    return [node.step.output_template === undefined ? END : STOP];
  const own = node.routes.filter(isSuccessRoute);
  const byRoutes = own.length > 0 ? own.flatMap(targetOf) : [END];
  if (node.kind === "group") return byRoutes;
  return extraTargets(node.step, byRoutes);
}

function extraTargets(step: Step, byRoutes: readonly string[]): readonly string[] {
  if (step.type === "human_gate") {
    const chosen = step.options.flatMap((option) => (option.route === undefined ? [] : [option.route]));
    return chosen.length === step.options.length && chosen.length > 0 ? chosen : [...chosen, ...byRoutes];
  }
  if (step.type === "questions" && step.allow_abort) return [...byRoutes, step.abort_route ?? END];
  return byRoutes;
}

const targetOf = (route: Route): readonly string[] =>
  route.to !== undefined ? [route.to] : route.halt !== undefined ? [STOP] : [];

interface Wiring {
  readonly edges: readonly Edge[];
  readonly out: ReadonlyMap<string, readonly Edge[]>;
  /** What runs inside a group when the group runs: its members and the handlers that stand in for them. */
  readonly inside: ReadonlyMap<string, readonly string[]>;
  /** The members that a handler stands in for. */
  readonly standsInFor: ReadonlyMap<string, readonly string[]>;
}

function wire(workflow: LoadedWorkflow, nodes: Nodes, mayRaise: (node: FlowNode) => boolean): Wiring {
  const edges: Edge[] = [];
  const inside = new Map<string, string[]>();
  const standsInFor = new Map<string, string[]>();
  const defaults = workflow.definition.workflow.error_routes ?? [];

  for (const node of nodes.all) {
    const member = node.kind === "step" && node.groups.length > 0;
    const errorTargets = node.routes.filter(isErrorRoute).flatMap((route) => targetOf(route));
    if (member)
      for (const group of node.groups)
        inside.set(group, [
          ...(inside.get(group) ?? []),
          node.name,
          ...errorTargets.filter((to) => nodes.names.has(to)),
        ]);
    if (member) for (const to of errorTargets) standsInFor.set(to, [...(standsInFor.get(to) ?? []), node.name]);
    if (node.kind === "step" && node.inline) continue;
    for (const to of successTargets(node)) edges.push({ from: node.name, to, on: "success" });
    if (member) continue;
    for (const to of errorTargets) edges.push({ from: node.name, to, on: "error" });
    if (!mayRaise(node) || node.routes.some((route) => isErrorRoute(route) && catchesEverything(route))) continue;
    for (const to of defaults.flatMap(targetOf)) if (to !== node.name) edges.push({ from: node.name, to, on: "error" });
  }

  const out = new Map<string, Edge[]>();
  for (const edge of edges) {
    const list = out.get(edge.from);
    if (list) list.push(edge);
    else out.set(edge.from, [edge]);
  }
  return { edges, out, inside, standsInFor };
}

/** Builds the graph of a file. `mayRaise` keeps constants out of the reach of workflow-wide error routes. */
export function buildGraph(workflow: LoadedWorkflow, nodes: Nodes, mayRaise: (node: FlowNode) => boolean): Graph {
  const entry = workflow.definition.workflow.entry_point;
  const { edges, out, inside, standsInFor } = wire(workflow, nodes, mayRaise);

  /** Everything that runs from `starts` on. `without` is never entered, edges that `skip` names are never taken. */
  const sweep = (starts: Iterable<string>, without?: string, skip?: (edge: Edge) => boolean): Set<string> => {
    const entered = new Set<string>();
    const touched = new Set<string>();
    const queue = [...starts];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (name === without || entered.has(name)) continue;
      entered.add(name);
      for (const member of inside.get(name) ?? []) touched.add(member);
      for (const edge of out.get(name) ?? []) if (!skip?.(edge)) queue.push(edge.to);
    }
    // Members and their handlers run inside the group and do not go on to their own success routes.
    for (const name of touched) if (name !== without) entered.add(name);
    return entered;
  };

  const memo = <T>(compute: (name: string) => T): ((name: string) => T) => {
    const known = new Map<string, T>();
    return (name) => {
      const found = known.get(name);
      if (found !== undefined) return found;
      const value = compute(name);
      known.set(name, value);
      return value;
    };
  };

  const asMember = (name: string): StepNode | undefined => {
    const node = nodes.get(name);
    return node?.kind === "step" && node.groups.length > 0 ? node : undefined;
  };

  const targets = new Set([entry, ...edges.map((edge) => edge.to)]);

  const before = memo((reader: string): ReadonlySet<string> => {
    const seen = sweep([entry], reader);
    seen.delete(reader);
    // A member sees the context as it was when its group started; a stand-in sees the member that failed as well.
    const member = asMember(reader);
    const targeted = targets.has(reader);
    const parts: ReadonlySet<string>[] = (member || standsInFor.has(reader)) && !targeted ? [] : [seen];
    if (member) for (const group of member.groups) parts.push(sweep([entry], group));
    for (const failed of standsInFor.get(reader) ?? [])
      for (const group of asMember(failed)?.groups ?? []) parts.push(sweep([entry], group), new Set([failed]));
    return parts.length === 1 && parts[0] ? parts[0] : new Set(parts.flatMap((part) => [...part]));
  });

  const errorStarts = memo((name: string): readonly string[] => {
    const node = nodes.get(name);
    const starts = edges.filter((edge) => edge.on === "error" && edge.from === name).map((edge) => edge.to);
    if (node && asMember(name)) starts.push(...node.routes.filter(isErrorRoute).flatMap(targetOf));
    if (node?.routes.some((route) => isErrorRoute(route) && fallsThrough(route))) starts.push(name);
    if (workflow.definition.workflow.error_routes?.some(fallsThrough)) starts.push(name);
    return starts;
  });

  const backwards = new Map<string, string[]>();
  for (const edge of edges) backwards.set(edge.to, [...(backwards.get(edge.to) ?? []), edge.from]);
  const ending = new Set<string>();
  const queue = [END, STOP];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (ending.has(name)) continue;
    ending.add(name);
    queue.push(...(backwards.get(name) ?? []));
  }

  const handlers = new Set<string>(standsInFor.keys());
  for (const edge of edges) if (edge.on === "error") handlers.add(edge.to);

  const reachable = sweep([entry]);
  return {
    entry,
    edges,
    rooted: nodes.names.has(entry),
    reachable,
    before,
    afterErrorOf: memo((name) => sweep(errorStarts(name))),
    endsWithout: memo((name) => sweep([entry], name).has(END)),
    endsWithoutErrorOf: memo((name) =>
      sweep([entry], undefined, (edge) => edge.from === name && edge.on === "error").has(END),
    ),
    canEnd: (name) => ending.has(name),
    isHandler: (name) => handlers.has(name),
    onlyStandsIn: (name) => standsInFor.has(name) && !targets.has(name),
    onlyMember: (name) => asMember(name) !== undefined && !targets.has(name),
  };
}
