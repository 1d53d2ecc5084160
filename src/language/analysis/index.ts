// What can be known about a workflow file before it runs.
export {
  type ErrorFlow,
  endingKinds,
  errorFlow,
  type HandledBy,
  type KindFlow,
  type StepFlow,
  type UnhandledKind,
} from "./error-flow.ts";
export { type Facts, gatherFacts } from "./facts.ts";
export type { Graph } from "./graph.ts";
export type { FlowNode, GroupNode, Nodes, StepNode } from "./nodes.ts";
export type { Raise, RaiseSource } from "./raises.ts";
export { missIn, resultShape } from "./shapes.ts";
export type { Edge } from "./wiring.ts";
