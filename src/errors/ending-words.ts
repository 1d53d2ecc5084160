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

// "a" or "an", by how the word is said.

/** Said letter by letter, from one that begins with a vowel: "an aitch-tee-tee-pee step". */
const SPELLED = /^(?:http|mcp|html|llm|sql)/i;

/** @example withArticle("http step") // "an http step" */
export const withArticle = (words: string): string =>
  `${/^[aeiou]/i.test(words) || SPELLED.test(words) ? "an" : "a"} ${words}`;
