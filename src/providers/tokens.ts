// Adds up what calls used, says it in the words of events and results, and how a call of one model or agent ended.

import type { AgentChanges, Raised } from "../base/errors/index.ts";
import type { ModelUsage } from "../steps/world.ts";
import type { TokenCounts } from "./provider.ts";

export const NO_TOKENS: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

export const addTokens = (a: TokenCounts, b: TokenCounts): TokenCounts => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  reasoning: a.reasoning + b.reasoning,
});

/** What has been spent so far, over turns, retries and models. A call that cannot be priced makes the sum unknown. */
export interface TokensSpent {
  readonly tokens: TokenCounts;
  readonly costUsd: number | null;
  /** Some of it is counted as another model: the list does not know this one. */
  readonly isEstimate?: boolean;
}

export const NOTHING_SPENT: TokensSpent = { tokens: NO_TOKENS, costUsd: 0 };

export const addSpent = (a: TokensSpent, b: TokensSpent): TokensSpent => ({
  tokens: addTokens(a.tokens, b.tokens),
  costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  ...(a.isEstimate || b.isEstimate ? { isEstimate: true } : {}),
});

interface Answering {
  readonly model: string;
  readonly responseModel?: string;
  readonly provider?: string;
}

/** Empty when nothing was used: there is nothing to report then. */
export function asUsage(
  { model, responseModel, provider }: Answering,
  { tokens, costUsd, isEstimate }: TokensSpent,
): ModelUsage {
  if (tokens.input === 0 && tokens.output === 0) return {};
  return {
    model,
    ...(responseModel ? { response_model: responseModel } : {}),
    ...(provider ? { provider } : {}),
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    cache_read_tokens: tokens.cacheRead,
    cache_write_tokens: tokens.cacheWrite,
    reasoning_tokens: tokens.reasoning,
    cost_usd: costUsd,
    ...(isEstimate ? { estimated: true } : {}),
  };
}

export interface ModelEnd {
  readonly model: string;
  readonly responseModel?: string;
  readonly provider?: string;
  readonly spent: TokensSpent;
  readonly outcome:
    | { readonly ok: true; readonly content: unknown }
    | { readonly ok: false; readonly error: Raised; readonly content?: unknown };
  readonly changes?: AgentChanges | undefined;
}

export const failedEnd = (model: string, error: Raised, spent = NOTHING_SPENT, content?: string): ModelEnd => ({
  model,
  spent,
  outcome: content ? { ok: false, error, content } : { ok: false, error },
});
