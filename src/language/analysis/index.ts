// What can be known about a workflow file before it runs.
export {
  type ErrorFlow,
  endingKinds,
  errorFlow,
  type HandledBy,
  type KindFlow,
  type UnhandledKind,
} from "./error-flow.ts";
export { type Facts, gatherFacts } from "./facts.ts";
export type { FlowNode } from "./nodes.ts";
export { optingInOf } from "./raises.ts";
export { missIn, resultShape } from "./shapes.ts";
