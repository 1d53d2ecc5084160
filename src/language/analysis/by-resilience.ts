// What `resilience` does about a kind that no route takes: tries again, keeps a letter, or tells somebody. Afterwards the
// error is unhandled all the same.
import { matches, traitsOf } from "../../errors/index.ts";
import type { LoadedWorkflow } from "../loaded.ts";
import { ANY } from "./raises.ts";

export interface ByResilience {
  readonly retries?: number;
  readonly dead_letter?: true;
  readonly escalate?: true;
}

/** Nothing when the file has no `resilience`, or it leaves this kind alone. */
export function byResilience(kind: string, { definition }: LoadedWorkflow): ByResilience | undefined {
  const { resilience } = definition.workflow;
  if (!resilience) return undefined;
  const { retry, dead_letter, escalate } = resilience;
  // Of a kind that is not known, a list of kinds to retry says nothing.
  if (kind === ANY && retry?.retryable) return undefined;
  const retryable = retry?.retryable ? matches(retry.retryable, kind) : kind !== ANY && traitsOf(kind).retryable;
  const retries = retryable ? (retry?.max_retries ?? 0) : 0;
  const done: ByResilience = {
    ...(retries > 0 ? { retries } : {}),
    ...(retryable && dead_letter ? { dead_letter: true as const } : {}),
    ...(!retryable && escalate ? { escalate: true as const } : {}),
  };
  return Object.keys(done).length > 0 ? done : undefined;
}
