// What the calls of one attempt used, summed as they are recorded.
import type { EventData } from "../../events/registry.ts";

export class AttemptUsage {
  #calls: EventData<"agent_usage">[] | undefined;

  add(call: EventData<"agent_usage">): void {
    this.#calls ??= [];
    this.#calls.push(call);
  }

  /** Absent when no model was called. */
  get totals(): Omit<EventData<"agent_usage">, "agent_name" | "purpose" | "key"> | undefined {
    const calls = this.#calls;
    if (!calls) return undefined;
    const sum = (
      field: "input_tokens" | "output_tokens" | "cache_read_tokens" | "cache_write_tokens" | "reasoning_tokens",
    ) => calls.reduce((total, call) => total + (call[field] ?? 0), 0);
    const unpriced = calls.some((call) => call.cost_usd === null || call.cost_usd === undefined);
    const { response_model, provider } = calls.at(-1) ?? {};
    return {
      model: calls.at(-1)?.model ?? calls[0]?.model ?? "",
      ...(response_model === undefined ? {} : { response_model }),
      ...(provider === undefined ? {} : { provider }),
      input_tokens: sum("input_tokens"),
      output_tokens: sum("output_tokens"),
      cache_read_tokens: sum("cache_read_tokens"),
      cache_write_tokens: sum("cache_write_tokens"),
      reasoning_tokens: sum("reasoning_tokens"),
      cost_usd: unpriced ? null : calls.reduce((total, call) => total + (call.cost_usd ?? 0), 0),
    };
  }
}
