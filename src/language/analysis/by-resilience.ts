// What `resilience` does about a kind that no route takes: tries again, keeps a letter, or escalates. Afterwards the
// error is unhandled all the same.
import { isEngineKind, matches, type Selector, selectorWords, traitsOf } from "../../errors/index.ts";
import type { LoadedWorkflow } from "../loaded.ts";
import { ANY } from "./raises.ts";

export interface ByResilience {
  readonly retries?: number;
  readonly dead_letter?: true;
  readonly escalate?: true;
  /** Of kinds that are not known: only these are tried again and kept, the rest are escalated. */
  readonly only?: readonly string[];
}

/** Nothing when the file has no `resilience`, or it leaves this kind alone. */
export function byResilience(kind: string, { definition }: LoadedWorkflow): ByResilience | undefined {
  const { resilience } = definition.workflow;
  if (!resilience) return undefined;
  const { retry, dead_letter, escalate } = resilience;
  const only = kind === ANY ? authorsSelectors(retry?.retryable) : [];
  const retryable = retry?.retryable ? matches(retry.retryable, kind) : kind !== ANY && traitsOf(kind).retryable;
  const mayRetry = retryable || only.length > 0;
  const retries = mayRetry ? (retry?.max_retries ?? 0) : 0;
  const done: ByResilience = {
    ...(retries > 0 ? { retries } : {}),
    ...(mayRetry && dead_letter ? { dead_letter: true as const } : {}),
    ...(!retryable && escalate ? { escalate: true as const } : {}),
  };
  if (Object.keys(done).length === 0) return undefined;
  return !retryable && (done.retries !== undefined || done.dead_letter) ? { ...done, only } : done;
}

/** Those of a list that an author's kind may match, unless it matches everything. */
const authorsSelectors = (retryable: Selector | undefined): readonly string[] =>
  retryable === undefined
    ? []
    : selectorWords(retryable).filter((word) => word !== "*" && !isEngineKind(word.replace(/\*$/, "any")));
