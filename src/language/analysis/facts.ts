// Everything that rules ask about one file, each thing computed once, when it is first asked for.
import type { LoadedWorkflow } from "../loaded.ts";
import { type ErrorFlow, errorFlow, leavingKinds, raisesByNode } from "./error-flow.ts";
import { buildGraph, type Graph } from "./graph.ts";
import { type FlowNode, listNodes, type Nodes } from "./nodes.ts";
import { canRaise, type Raise } from "./raises.ts";
import { type Reads, readSites } from "./reads.ts";
import { outputShape, type Shape, UNKNOWN } from "./shapes.ts";
import { listSites, type Site } from "./templates.ts";

export interface Facts {
  readonly nodes: Nodes;
  readonly graph: Graph;
  readonly sites: readonly Site[];
  readonly reads: Reads;
  readonly errors: ErrorFlow;
  /** Whether conclusions from paths are safe: there is an entry point, and every step parsed. */
  readonly pathsKnown: boolean;
  raises(node: FlowNode): readonly Raise[];
  canRaise(node: FlowNode): boolean;
  /** The shape of a step's output, or of a group. */
  shape(name: string): Shape;
}

/** Fields that decide where a run goes. Where one is only stood in for, the ways through the file are not known. */
const FLOW_FIELDS: ReadonlySet<string | number> = new Set([
  "routes",
  "error_routes",
  "entry_point",
  "options",
  "abort_route",
  "type",
]);

const isFlowBroken = ({ standIns }: LoadedWorkflow): boolean =>
  standIns.some((path) => path.length <= 1 || path.some((key) => FLOW_FIELDS.has(key)));

function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** Gathers the facts of a file, lazily. */
export function gatherFacts(workflow: LoadedWorkflow): Facts {
  const nodes = once(() => listNodes(workflow));
  const graph = once(() => buildGraph(workflow, nodes(), (node) => canRaise(node, nodes(), workflow)));
  const sites = once(() => listSites(workflow, nodes(), graph().isHandler));
  const reads = once(() => readSites(sites()));
  const errors = once(() => errorFlow(workflow));
  const childKinds = new Map<LoadedWorkflow, ReadonlySet<string>>();
  const raises = once(() =>
    raisesByNode(workflow, nodes(), (child) => {
      const known = childKinds.get(child) ?? leavingKinds(child);
      childKinds.set(child, known);
      return known;
    }),
  );
  const shapes = new Map<string, Shape>();
  return {
    get nodes() {
      return nodes();
    },
    get graph() {
      return graph();
    },
    get sites() {
      return sites();
    },
    get reads() {
      return reads();
    },
    get errors() {
      return errors();
    },
    get pathsKnown() {
      return nodes().complete && graph().rooted && !isFlowBroken(workflow);
    },
    raises: (node) => raises().get(node) ?? [],
    canRaise: (node) => canRaise(node, nodes(), workflow),
    shape: (name) => {
      const known = shapes.get(name);
      if (known) return known;
      const node = nodes().get(name);
      const shape = node ? outputShape(node, nodes(), workflow) : UNKNOWN;
      shapes.set(name, shape);
      return shape;
    },
  };
}
