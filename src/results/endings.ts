// How runs end that end in no envelope: what is known of each, by the name that the event gives it.
import type { Traits } from "../errors/index.ts";

export interface Ending extends Traits {
  readonly errorType: string;
  readonly when: string;
}

const limit = { category: "policy", fixable: true, retryable: false, owner: "workflow" } as const;

const endings: readonly Ending[] = [
  { errorType: "MaxIterationsError", when: "the run used up `max_iterations`", ...limit },
  { errorType: "TimeoutError", when: "the run used up `limits.timeout_seconds`", ...limit },
  { errorType: "BudgetExceededError", when: "the run spent more than an enforced `budget_usd`", ...limit },
  {
    errorType: "WorkflowTerminated",
    when: "a `terminate` step with `status: failed` ended the run",
    category: "execution_failure",
    fixable: false,
    retryable: false,
    owner: "workflow",
  },
  {
    errorType: "Cancelled",
    when: "the run was stopped",
    category: "execution_failure",
    fixable: false,
    retryable: true,
    owner: "environment",
  },
  {
    errorType: "Interrupted",
    when: "the process that drove the run is gone and left no word",
    category: "execution_failure",
    fixable: false,
    retryable: true,
    owner: "environment",
  },
  {
    errorType: "StoreError",
    when: "the run could not be recorded: a full disk, a read-only home, a locked or corrupt store",
    category: "exception",
    fixable: false,
    retryable: true,
    owner: "environment",
  },
  {
    errorType: "ScenarioError",
    when: "a scenario has no answer for something that the run asked",
    category: "execution_failure",
    fixable: true,
    retryable: false,
    owner: "input",
  },
];

export const ENDINGS: ReadonlyMap<string, Ending> = new Map(endings.map((ending) => [ending.errorType, ending]));

const UNKNOWN: Traits = { category: "exception", fixable: false, retryable: false, owner: "engine" };

/** Category, fixable, retryable and owner of an ending. */
export function traitsOfEnding(errorType: string): Traits {
  const { category, fixable, retryable, owner } = ENDINGS.get(errorType) ?? UNKNOWN;
  return { category, fixable, retryable, owner };
}
