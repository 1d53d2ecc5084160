// Everything that rules ask about one file, each thing computed once, when it is first asked for.
import { type Shape, UNKNOWN } from "../../steps/output-shape.ts";
import type { LoadedWorkflow } from "../loaded.ts";
import { type ErrorFlow, fileFlowOf } from "./error-flow.ts";
import { flowMapOf, type Graph } from "./graph.ts";
import type { FlowNode, Nodes } from "./nodes.ts";
import type { Raise } from "./raises.ts";
import { type Reads, readSites } from "./reads.ts";
import { END, isSuccessRoute } from "./routes.ts";
import { hasChanges, outputShape } from "./shapes.ts";
import { listSites, type Site } from "./sites.ts";
import { STOP } from "./wiring.ts";

export interface Facts {
  readonly nodes: Nodes;
  readonly graph: Graph;
  readonly sites: readonly Site[];
  readonly reads: Reads;
  readonly errors: ErrorFlow;
  /** Whether what leads where is known: there is an entry point, and every step and route parsed. */
  readonly flowKnown: boolean;
  /** Whether, beyond that, every route leads somewhere. If not, findings would blame the step that it was meant for. */
  readonly pathsKnown: boolean;
  raises(node: FlowNode): readonly Raise[];
  canRaise(node: FlowNode): boolean;
  /** The shape of a step's output, or of a group. */
  shape(name: string): Shape;
  /** Whether a step or group has `changes` beside what it gives. */
  hasChanges(node: FlowNode): boolean;
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

/** Whether every target exists and every success route has an action that goes with success. */
const leadsSomewhere = (nodes: Nodes, { edges }: Graph): boolean =>
  edges.every(({ to }) => to === END || to === STOP || nodes.names.has(to)) &&
  nodes.all.every(({ routes }) =>
    routes.every((route) => !isSuccessRoute(route) || route.to !== undefined || route.halt !== undefined),
  );

function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** Gathers the facts of a file, lazily. */
export function gatherFacts(workflow: LoadedWorkflow): Facts {
  const map = once(() => flowMapOf(workflow));
  const nodes = (): Nodes => map().nodes;
  const graph = (): Graph => map().graph;
  const sites = once(() => listSites(workflow, nodes(), graph().isHandler));
  const reads = once(() => readSites(sites()));
  const errors = once(() => fileFlowOf(workflow));
  const flowKnown = once(() => nodes().complete && graph().rooted && !isFlowBroken(workflow));
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
    get flowKnown() {
      return flowKnown();
    },
    get pathsKnown() {
      return flowKnown() && leadsSomewhere(nodes(), graph());
    },
    raises: (node) => errors().raises.get(node) ?? [],
    canRaise: (node) => map().canRaise(node),
    hasChanges: (node) => hasChanges(node, nodes(), workflow),
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
