// Tokens and money. What cannot be priced is null, with the models named: 0 would be a lie.
import type { RunState, Usage } from "../events/index.ts";
import type { Metrics, Tokens } from "./result.ts";

export function tokensOf(usage: Usage): Tokens {
  const cached = usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    ...(cached > 0 ? { cached } : {}),
    ...(usage.reasoningTokens > 0 ? { reasoning: usage.reasoningTokens } : {}),
  };
}

/** Without the noise at the end of sums of floats. */
const dollars = (amount: number): number => Math.round(amount * 1e9) / 1e9;

export const costOf = (usage: Usage): number | null => (usage.unpriced.size > 0 ? null : dollars(usage.costUsd));

export function metricsOf(state: RunState, durationMs: number | null, nodesExecuted: number): Metrics {
  const byModel = [...state.usageByModel].map(
    ([model, usage]) => [model, { tokens: tokensOf(usage), cost_usd: costOf(usage) }] as const,
  );
  return {
    duration_ms: durationMs,
    nodes_executed: nodesExecuted,
    total_cost_usd: costOf(state.usage),
    tokens: tokensOf(state.usage),
    by_model: Object.fromEntries(byModel),
    unpriced_models: [...state.usage.unpriced],
    ...(state.usage.estimated.size > 0 ? { estimated_models: [...state.usage.estimated] } : {}),
  };
}
