// The steps of a file and the ways between them, worked out once per file however many rules and commands ask.
import type { LoadedWorkflow } from "../loaded.ts";
import { buildGraph, type Graph } from "./graph.ts";
import { type FlowNode, listNodes, type Nodes } from "./nodes.ts";
import { canRaise } from "./raises.ts";

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
