// What people read in the place of a kind, of endings and refusals that have none: names of classes are for programs.

const WORDS: ReadonlyMap<string, string> = new Map([
  ["MaxIterationsError", "limit reached: max_iterations"],
  ["TimeoutError", "limit reached: timeout_seconds"],
  ["BudgetExceededError", "limit reached: budget_usd"],
  ["WorkflowTerminated", "terminated: failed"],
  ["StoreError", "not recorded"],
  ["ScenarioError", "not in the scenario"],
]);

/** @example endingWords("MaxIterationsError") // "limit reached: max_iterations" */
export const endingWords = (errorType: string): string =>
  WORDS.get(errorType) ??
  errorType
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/(?<=.) error$/, "");
