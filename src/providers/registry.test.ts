import { expect, test } from "vitest";
import { findCodingAgent, findProvider, servedBy } from "./registry.ts";

test.each([
  ["anthropic", "anthropic"],
  ["claude", "anthropic"],
  ["openai", "openai"],
])("%s means %s", async (name, provider) => {
  expect((await findProvider(name)).name).toBe(provider);
});

test.each(["claude-agent-sdk", "codex", "copilot"])("%s is an agent that works in a folder", async (name) => {
  expect((await findCodingAgent(name))?.name).toBe(name);
});

test.each(["hermes", "aca", "gemini", "constructor"])("refuses %s and says what to choose", async (name) => {
  await expect(findProvider(name)).rejects.toMatchObject({
    reason: "unready",
    message: expect.stringMatching(/SEGNO_PROVIDER/),
  });
});

test("prefers a provider that the library's user defined", async () => {
  const mine = { name: "mine", defaultModel: "m", call: () => Promise.reject(new Error("not called")) };
  expect(await findProvider("mine", { mine })).toBe(mine);
});

test.each([
  ["claude-sonnet-4-5", "anthropic", false, "anthropic", "claude-sonnet-4-5"],
  ["gpt-5", "anthropic", false, "openai", "gpt-5"],
  ["o3-mini", "claude", false, "openai", "o3-mini"],
  ["claude-sonnet-4-5", "openai", false, "anthropic", "claude-sonnet-4-5"],
  ["openai/gpt-5", "anthropic", false, "openai", "gpt-5"],
  ["claude-sonnet-4-5", "openai", true, "openai", "claude-sonnet-4-5"],
  ["meta/llama-3", "openai", true, "openai", "meta/llama-3"],
  ["gpt-5", "copilot", false, "copilot", "gpt-5"],
])("%s of a file with provider %s (custom URL: %s) is served by %s", (model, requested, custom, provider, served) => {
  expect(servedBy(model, requested, custom)).toEqual({ provider, model: served });
});
