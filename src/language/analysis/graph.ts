// Who may follow whom, and what can be concluded from it: what can run, what must have run before, what can end.
// Everything is reachability or dominance; no list of paths is ever made.
import type { LoadedWorkflow } from "../loaded.ts";
import { type FlowNode, listNodes, type Nodes, type StepNode } from "./nodes.ts";
import { canRaise } from "./raises.ts";
import { append, type Edge, END, fallsThrough, isErrorRoute, STOP, targetOf, wire } from "./routes.ts";

export interface Graph {
  readonly entry: string;
  readonly edges: readonly Edge[];
  /** Whether the entry point is a step or group of this file. */
  readonly rooted: boolean;
  /** What can run at all, members of groups and their handlers included. */
  readonly reachable: ReadonlySet<string>;
  /** Whether `name` can have run before the first visit to `reader`. */
  canPrecede(name: string, reader: string): boolean;
  /** Whether `reader` can run after `name` has. */
  leadsTo(name: string, reader: string): boolean;
  /** What can run after `name` raised and one of its error routes took the error; `name` itself if it is retried. */
  afterErrorOf(name: string): ReadonlySet<string>;
  /** Whether the workflow's end can be reached without any of `names` having run. */
  endsWithout(names: readonly string[]): boolean;
  /** Whether `later` can only run after `name` has. */
  needs(later: string, name: string): boolean;
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

/** A step as it runs inside a group: it does not go on to its own routes from there, so it is a node of its own. */
const insideName = (name: string): string => `${name} (inside)`;

function memo<T>(compute: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const value = compute(name);
    known.set(name, value);
    return value;
  };
}

/** Builds the graph of a file. `mayRaise` keeps constants out of the reach of workflow-wide error routes. */
function buildGraph(workflow: LoadedWorkflow, nodes: Nodes, mayRaise: (node: FlowNode) => boolean): Graph {
  const { entry_point: entry, error_routes: defaults = [] } = workflow.definition.workflow;
  const { edges, out, inside, standsInFor } = wire(workflow, nodes, mayRaise);
  const targets = new Set([entry, ...edges.map((edge) => edge.to)]);

  const dominators = dominatorsOf(entry, (name) => [
    ...(out.get(name) ?? []).map((edge) => edge.to),
    ...(inside.get(name) ?? []).map(insideName),
  ]);
  /** The nodes as which a step may run: by itself, inside a group, or both. */
  const formsOf = (name: string): readonly string[] => [name, insideName(name)].filter(dominators.isReachable);

  /** Everything that runs from `starts` on. `without` is never entered, edges that `skip` names are never taken. */
  const sweep = (
    starts: Iterable<string>,
    without: readonly string[] = [],
    skip?: (edge: Edge) => boolean,
  ): Set<string> => {
    const entered = new Set<string>();
    const touched = new Set<string>();
    const queue = [...starts];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (without.includes(name) || entered.has(name)) continue;
      entered.add(name);
      for (const member of inside.get(name) ?? []) touched.add(member);
      for (const edge of out.get(name) ?? []) if (!skip?.(edge)) queue.push(edge.to);
    }
    // Members and their handlers run inside the group and do not go on to their own success routes.
    for (const name of touched) if (!without.includes(name)) entered.add(name);
    return entered;
  };

  const asMember = (name: string): StepNode | undefined => {
    const node = nodes.get(name);
    return node?.kind === "step" && node.groups.length > 0 ? node : undefined;
  };

  /** Whether `name` can run on a way that has not passed `reader`. */
  const runsWithout = (name: string, reader: string): boolean =>
    formsOf(name).some((form) => !dominators.dominates(reader, form));

  const canPrecede = (name: string, reader: string): boolean => {
    const member = asMember(reader);
    const failed = standsInFor.get(reader) ?? [];
    if (targets.has(reader) || (!member && failed.length === 0)) {
      if (name !== reader && runsWithout(name, reader)) return true;
    }
    // A member sees the context as it was when its group started; a stand-in sees the member that failed as well.
    const groups = [...(member?.groups ?? []), ...failed.flatMap((one) => asMember(one)?.groups ?? [])];
    return failed.includes(name) || groups.some((group) => name !== group && runsWithout(name, group));
  };

  const reachedFrom = memo((name) => sweep((out.get(name) ?? []).map(({ to }) => to)));

  const errorStarts = (name: string): readonly string[] => {
    const routes = nodes.get(name)?.routes ?? [];
    const starts = (out.get(name) ?? []).filter((edge) => edge.on === "error").map((edge) => edge.to);
    // A member's `$end` ends the member, not the workflow.
    if (asMember(name))
      starts.push(
        ...routes
          .filter(isErrorRoute)
          .flatMap(targetOf)
          .filter((to) => to !== END),
      );
    if (routes.some((route) => isErrorRoute(route) && fallsThrough(route)) || defaults.some(fallsThrough))
      starts.push(name);
    return starts;
  };

  const ending = endingNodes(edges);
  const handlers = new Set<string>(standsInFor.keys());
  for (const edge of edges) if (edge.on === "error") handlers.add(edge.to);

  return {
    entry,
    edges,
    rooted: nodes.names.has(entry),
    reachable: sweep([entry]),
    canPrecede,
    leadsTo: (name, reader) => reachedFrom(name).has(reader) || (standsInFor.get(reader) ?? []).includes(name),
    afterErrorOf: memo((name) => sweep(errorStarts(name))),
    endsWithout: (names) => {
      const [only, ...others] = names;
      if (only !== undefined && others.length === 0)
        return dominators.isReachable(END) && !dominators.dominates(only, END);
      return sweep([entry], names).has(END);
    },
    needs: (later, name) => {
      const forms = formsOf(later);
      return forms.length > 0 && forms.every((form) => dominators.dominates(name, form));
    },
    endsWithoutErrorOf: memo((name) =>
      sweep([entry], [], (edge) => edge.from === name && edge.on === "error").has(END),
    ),
    canEnd: (name) => ending.has(name),
    isHandler: (name) => handlers.has(name),
    onlyStandsIn: (name) => standsInFor.has(name) && !targets.has(name),
    onlyMember: (name) => asMember(name) !== undefined && !targets.has(name),
  };
}

/** The nodes from which an end of any kind can be reached: a walk backwards from the ends. */
function endingNodes(edges: readonly Edge[]): ReadonlySet<string> {
  const backwards = new Map<string, string[]>();
  for (const { from, to } of edges) append(backwards, to, from);
  const ending = new Set<string>();
  const queue = [END, STOP];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (ending.has(name)) continue;
    ending.add(name);
    queue.push(...(backwards.get(name) ?? []));
  }
  return ending;
}

// The steps of a file and the ways between them, worked out once per file however many rules and commands ask.

export interface FlowMap {
  readonly nodes: Nodes;
  readonly graph: Graph;
  /** Whether a step can raise something beside a defect of the engine or a policy's refusal. */
  canRaise(node: FlowNode): boolean;
}

const known = new WeakMap<LoadedWorkflow, FlowMap>();

/** The map of a loaded file. Loaded files do not change, so it is kept with them. */
export function flowMapOf(workflow: LoadedWorkflow): FlowMap {
  const found = known.get(workflow);
  if (found) return found;
  const nodes = listNodes(workflow);
  const raising = new Map<FlowNode, boolean>();
  const asks = (node: FlowNode): boolean => {
    const answer = raising.get(node) ?? canRaise(node, nodes, workflow);
    raising.set(node, answer);
    return answer;
  };
  const map: FlowMap = { nodes, graph: buildGraph(workflow, nodes, asks), canRaise: asks };
  known.set(workflow, map);
  return map;
}

/** Nodes in reverse postorder: each before its successors, but for those that close a circle. */
function reversePostorder(root: string, successors: (node: string) => readonly string[]): readonly string[] {
  const seen = new Set([root]);
  const order: string[] = [];
  const stack = [{ node: root, next: successors(root), at: 0 }];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const child = top.next[top.at++];
    if (child === undefined) {
      order.push(top.node);
      stack.pop();
    } else if (!seen.has(child)) {
      seen.add(child);
      stack.push({ node: child, next: successors(child), at: 0 });
    }
  }
  return order.reverse();
}

/** What must have been passed on every way from the root to a node, by the iterative method of Cooper, Harvey and Kennedy. */
export function dominatorsOf(root: string, successors: (node: string) => readonly string[]) {
  const order = reversePostorder(root, successors);
  const rank = new Map(order.map((node, index) => [node, index]));
  const predecessors: number[][] = order.map(() => []);
  for (const [index, node] of order.entries())
    for (const next of successors(node)) predecessors[rank.get(next) ?? 0]?.push(index);

  const parent = new Int32Array(order.length).fill(-1);
  parent[0] = 0;
  const meet = (a: number, b: number): number => {
    let [one, other] = [a, b];
    while (one !== other) {
      while (one > other) one = parent[one] ?? 0;
      while (other > one) other = parent[other] ?? 0;
    }
    return one;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (let node = 1; node < order.length; node++) {
      let found = -1;
      for (const before of predecessors[node] ?? [])
        if (parent[before] !== -1) found = found === -1 ? before : meet(before, found);
      if (found !== parent[node]) {
        parent[node] = found;
        changed = true;
      }
    }
  }

  return {
    isReachable: (node: string): boolean => rank.has(node),
    /** Whether every way to `node` passes `by`. A node dominates itself. False for what cannot be reached. */
    dominates(by: string, node: string): boolean {
      const wanted = rank.get(by);
      let at = rank.get(node);
      if (wanted === undefined || at === undefined) return false;
      // A dominator always has the lower rank, so the climb can stop early.
      while (at > wanted) at = parent[at] ?? 0;
      return at === wanted;
    },
  };
}
