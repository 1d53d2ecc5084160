// The language's front door: load, validate, describe.
export { environmentNames } from "./environment.ts";
export { jsonSchema } from "./json-schema.ts";
export { type Load, type LoadOptions, loadWorkflow } from "./load.ts";
export type { Finding, LoadedWorkflow, LoadWorld, Location, NodePath, Positions, Severity } from "./loaded.ts";
export { didYouMean, nearest } from "./nearest.ts";
export type * from "./schema/index.ts";
export { parseDuration, STEP_TYPES } from "./schema/index.ts";
export { type ValidateOptions, type Validation, validateWorkflow } from "./validate.ts";
