import { describe, expect, test } from "vitest";
import { PRICES, priceOf } from "./prices.ts";
import type { TokenCounts } from "./provider.ts";

const tokens = (some: Partial<TokenCounts>): TokenCounts => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  ...some,
});
const MILLION = 1_000_000;

describe("the price of a call", () => {
  test("comes from the table of well-known models", () => {
    expect(priceOf("claude-sonnet-4-5", tokens({ input: MILLION, output: MILLION }))).toEqual({ usd: 18 });
  });

  test("has cached tokens at their own price, not at the price of input as well", () => {
    const used = tokens({ input: 3 * MILLION, cacheRead: MILLION, cacheWrite: MILLION });
    expect(priceOf("claude-sonnet-4-5", used).usd).toBeCloseTo(3 + 0.3 + 3.75, 9);
  });

  test("has reasoning once: it is part of the output", () => {
    expect(priceOf("gpt-5", tokens({ output: MILLION, reasoning: MILLION })).usd).toBe(10);
  });

  test.each([
    ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
    ["gpt-4o-2024-08-06", "gpt-4o"],
    ["claude-3-5-haiku-latest", "claude-3-5-haiku"],
    ["claude-sonnet-4.5", "claude-sonnet-4-5"],
    ["openai/gpt-5-mini", "gpt-5-mini"],
  ])("of %s is that of %s, without a word", (model, known) => {
    const used = tokens({ input: MILLION });
    expect(priceOf(model, used)).toEqual({ usd: PRICES.get(known)?.input_per_mtok });
  });

  test("of a relative of a known model is that of the nearest, with a warning", () => {
    const priced = priceOf("gpt-5-mini-turbo", tokens({ input: MILLION }));
    expect(priced.usd).toBe(0.25);
    expect(priced.warning).toContain("counted as gpt-5-mini");
  });

  test("of an unknown model is unknown, not nothing", () => {
    expect(priceOf("llama3:70b", tokens({ input: MILLION }))).toEqual({ usd: null });
    expect(priceOf("gpt-50", tokens({ input: MILLION })).usd).toBeNull();
  });

  test("is what the file says, if it says so", () => {
    const pricing = { "llama3:70b": { input_per_mtok: 0.5, output_per_mtok: 1 } };
    expect(priceOf("llama3:70b", tokens({ input: MILLION, output: MILLION }), pricing)).toEqual({ usd: 1.5 });
  });
});
