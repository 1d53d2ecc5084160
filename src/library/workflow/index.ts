// `import … from "segno/workflow"`: workflows in TypeScript.
export {
  type DefinedWorkflow,
  defineWorkflow,
  type Names,
  type RoutedWorkflow,
  type WorkflowBuilder,
  type WorkflowOptions,
} from "./define-workflow.ts";
export { type FunctionCall, raise, step } from "./function-step.ts";
export type { Node } from "./node.ts";
export { type Ref, type RefTo, ref, type Text, type Value } from "./ref.ts";
export type { Target } from "./routes.ts";
export {
  agent,
  forEach,
  gate,
  http,
  mcp,
  parallel,
  questions,
  script,
  set,
  terminate,
  wait,
  workflow,
} from "./steps.ts";
