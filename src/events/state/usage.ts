// What models used and what it cost, summed per step, per model and for the run.
import type { FrameState, NodeState, RunState, Usage } from "./state.ts";

export const noUsage = (): Usage => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
  unpriced: new Set(),
  estimated: new Set(),
});

interface Tokens {
  readonly model?: string | undefined;
  readonly input_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly cache_read_tokens?: number | undefined;
  readonly cache_write_tokens?: number | undefined;
  readonly reasoning_tokens?: number | undefined;
  readonly cost_usd?: number | null | undefined;
  readonly estimated?: boolean | undefined;
}

function add(usage: Usage, call: Tokens, model: string): void {
  usage.inputTokens += call.input_tokens ?? 0;
  usage.outputTokens += call.output_tokens ?? 0;
  usage.cacheReadTokens += call.cache_read_tokens ?? 0;
  usage.cacheWriteTokens += call.cache_write_tokens ?? 0;
  usage.reasoningTokens += call.reasoning_tokens ?? 0;
  if (typeof call.cost_usd === "number") usage.costUsd += call.cost_usd;
  else usage.unpriced.add(model);
  if (call.estimated) usage.estimated.add(model);
}

/** Counts a call. Without a model and without tokens there was none. */
export function count(state: RunState, node: NodeState | undefined, call: Tokens): void {
  if (call.model === undefined && call.input_tokens === undefined && call.output_tokens === undefined) return;
  const model = call.model ?? "unknown";
  add(state.usage, call, model);
  let ofModel = state.usageByModel.get(model);
  if (!ofModel) {
    ofModel = noUsage();
    state.usageByModel.set(model, ofModel);
  }
  add(ofModel, call, model);
  if (!node) return;
  node.usage ??= noUsage();
  add(node.usage, call, model);
}

/** Counts the summary on the end of a step, unless its calls were counted one by one. */
export function countSummary(
  state: RunState,
  frame: FrameState,
  node: NodeState | undefined,
  name: string,
  call: Tokens,
): void {
  if (call.model !== undefined && !frame.metered.has(name)) count(state, node, call);
}
