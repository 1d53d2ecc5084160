// Events, and the two folds over them: a run's state, and what a resume recalls.
export type { RunEvent } from "./registry.ts";
export { apply, initialState } from "./state/fold.ts";
export * from "./state/read.ts";
export * from "./state/state.ts";
export { currentWarnings } from "./state/warnings.ts";
export * from "./visits/recall.ts";
