// The template engine: Jinja2 as authors of workflows know it, in TypeScript, with
// errors that name the path and no way out of the data it is given.

export type { Reference } from "./analysis/expression-walker.ts";
export { coerce } from "./coerce.ts";
export {
  type Condition,
  compileCondition,
  evaluate,
  expressionReferences,
  references,
  render,
  resolveFlattened,
} from "./condition.ts";
export { TemplateError, type TemplateErrorDetails, type TemplateErrorReason } from "./error.ts";
export { DEFAULT_LIMITS, type Limits } from "./limits.ts";
export type { Loader, RenderOptions } from "./runtime/frame.ts";
export { compile, type Template } from "./template.ts";
export { type Context, MISSING, type Scope } from "./values/value.ts";
