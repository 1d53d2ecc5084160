// What happens to a kind, in words: what is tried first, and who takes it in the end. The command line, the reporters and
// the page say it alike.
interface TakenBy {
  readonly action: string;
  readonly to?: string;
  readonly when?: string;
}

interface KeptBy {
  readonly retries?: number;
  readonly dead_letter?: true;
  readonly escalate?: true;
  readonly only?: readonly string[];
}

export interface Handling {
  readonly handled_by?: TakenBy;
  readonly first?: readonly TakenBy[];
  readonly propagated_by?: TakenBy;
  readonly resilience?: KeptBy;
}

/** `2 retries by resilience, then a dead letter, then unhandled` */
export function whoHandles({ handled_by, first = [], propagated_by, resilience = {} }: Handling): string {
  const last = propagated_by ? "propagated to the caller" : handled_by ? said(handled_by) : "unhandled";
  return [...first.map(said), ...byResilience(resilience), last].join(", then ");
}

/** Kinds that every step can raise, as a defect or a mistake in the file would: lists leave them out unless asked. */
export const isOfAnyStep = (kind: string): boolean => kind === "*" || kind.startsWith("internal.");

function said({ action, to, when }: TakenBy): string {
  const done = action === "to" ? `→ ${to}` : to ? `${action} → ${to}` : action;
  return when === undefined ? done : `${done} if ${when}`;
}

/** What `resilience` does once no route took the error. */
function byResilience({ retries, dead_letter, escalate, only }: KeptBy): readonly string[] {
  const kept = [
    ...(retries === undefined ? [] : [`${retries === 1 ? "1 retry" : `${retries} retries`} by resilience`]),
    ...(dead_letter ? ["a dead letter"] : []),
  ];
  if (only) return [`${kept.join(" and ")} for ${only.join(", ")}${escalate ? ", escalated otherwise" : ""}`];
  return escalate ? [...kept, "escalated"] : kept;
}

// What people read in the place of a kind, of endings and refusals that have none: names of classes are for programs.

const WORDS: ReadonlyMap<string, string> = new Map([
  ["MaxIterationsError", "limit reached: max_iterations"],
  ["MaxVisitsError", "limit reached: max_visits"],
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
