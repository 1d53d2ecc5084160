// Events, and the two folds over them: a run's state, and what a resume recalls.
export { apply, initialState } from "./fold.ts";
export * from "./read.ts";
export * from "./recall.ts";
export type { Emit, EventData, EventType, RunEvent } from "./registry.ts";
export * from "./state.ts";
export { currentWarnings } from "./warnings.ts";
