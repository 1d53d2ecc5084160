// `import … from "segno/workflow"`: workflows in TypeScript.
export * from "./define-workflow.ts";
export type { Node } from "./node.ts";
export { type Ref, type RefTo, ref, type Text, type Value } from "./ref.ts";
export type { Target } from "./routes.ts";
export * from "./steps.ts";
