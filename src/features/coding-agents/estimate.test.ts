import { describe, expect, test } from "vitest";
import { BUILT_IN_PRICES } from "../../providers/prices.ts";
import { NO_TOKENS } from "../../providers/tokens.ts";
import { estimate } from "./progress.ts";

const countedAs = (provider: string, model: string, isElsewhere = false): string | undefined => {
  const { warning } = estimate({ provider, model, isElsewhere }, { ...NO_TOKENS, input: 1 }, BUILT_IN_PRICES);
  return /counted as (\S+)/.exec(warning ?? "")?.[1];
};

describe("a model without a price", () => {
  test.each([
    ["codex", "gpt-9-zeta", "gpt-5.5"],
    ["codex", "openai/gpt-5.9-mini", "gpt-5.4-mini"],
    ["codex", "somebody-elses", "gpt-5.5"],
    ["claude-agent-sdk", "claude-opus-9", "claude-opus-4-1"],
    ["claude-agent-sdk", "somebody-elses", "claude-opus-4-1"],
  ])("of %s, %s, is counted as %s", (provider, model, known) => expect(countedAs(provider, model)).toBe(known));

  test("of a server of one's own is not made up, unless its family is known", () => {
    expect(countedAs("copilot", "qwen3", true)).toBeUndefined();
    expect(countedAs("copilot", "gpt-9", true)).toBe("gpt-5.5");
  });
});
