import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { loadWorkflow } from "./load.ts";

const KEY = { OPENAI_API_KEY: "sk-one", ANTHROPIC_API_KEY: "sk-two", COPILOT_PROVIDER_API_KEY: "sk-three" };

function refusals(provider: string, env: Readonly<Record<string, string>> = {}, list = "steps") {
  const text = `workflow: { name: w, entry_point: a, runtime: { provider: ${provider} } }\n${list}:\n  - { name: a, prompt: hi }\n`;
  return loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }, { ...KEY, ...env })).findings.map(
    ({ rule, message }) => `${rule}: ${message}`,
  );
}

describe("a key of the environment and an address that the file names", () => {
  it.each([
    ['{ name: openai, base_url: "http://127.0.0.1:9/v1" }', "OPENAI_API_KEY"],
    ['{ name: openai, base_url: "https://api.openai.com.example.org" }', "OPENAI_API_KEY"],
    ['{ name: openai, base_url: "https://api.openai.com@example.org/v1" }', "OPENAI_API_KEY"],
    ['{ name: anthropic, base_url: "https://example.org" }', "ANTHROPIC_API_KEY"],
    ['{ name: claude, base_url: "https://example.org" }', "ANTHROPIC_API_KEY"],
    ['{ name: claude-agent-sdk, base_url: "https://example.org" }', "ANTHROPIC_API_KEY"],
    ['{ name: codex, base_url: "https://example.org", bearer_token: x }', "OPENAI_API_KEY"],
    ['{ base_url: "https://example.org" }', "COPILOT_PROVIDER_API_KEY"],
    ['{ name: acp, agent: goose, base_url: "https://example.org" }', "ANTHROPIC_API_KEY"],
    ['{ name: openai, base_url: "${HERE:-https://example.org}" }', "OPENAI_API_KEY"],
    ['{ name: openai, base_url: "https://${SUB}.example.org" }', "OPENAI_API_KEY"],
    ['{ name: openai, base_url: "${SCHEME}://example.org" }', "OPENAI_API_KEY"],
  ])("is refused: %s", (provider, variable) => {
    const env = { SUB: "api", SCHEME: "https" };
    for (const list of ["steps", "agents"]) {
      const found = refusals(provider, env, list);
      expect(found).toHaveLength(1);
      expect(found[0]).toContain("key-at-other-address");
      expect(found[0]).toContain(variable);
      expect(found[0]).toContain("SEGNO_ALLOW_KEY_TO");
    }
  });

  it.each([
    ["of its own", '{ name: openai, base_url: "https://eu.api.openai.com/v1" }', {}],
    [
      "of Azure",
      '{ name: openai, type: azure, base_url: "https://x.openai.azure.com" }',
      { AZURE_OPENAI_API_KEY: "k" },
    ],
    ["of a key in the file", '{ name: openai, base_url: "https://example.org", api_key: none }', {}],
    ["that a variable names", '{ name: openai, base_url: "${HERE}/v1" }', { HERE: "https://example.org" }],
    [
      "whose host a variable names",
      '{ name: openai, base_url: "http://${HOST}:${PORT}/v1" }',
      { HOST: "example.org", PORT: "9" },
    ],
    [
      "that the user names too",
      '{ name: openai, base_url: "https://example.org/v1" }',
      { OPENAI_BASE_URL: "https://example.org" },
    ],
    [
      "that the user allows",
      '{ name: openai, base_url: "https://example.org:8443" }',
      { SEGNO_ALLOW_KEY_TO: "x.y, example.org" },
    ],
    ["when there is no key", '{ name: openai, base_url: "https://example.org" }', { OPENAI_API_KEY: "" }],
    ["of a provider whose key it is not", '{ name: codex, base_url: "https://example.org" }', { OPENAI_API_KEY: "" }],
  ])("may go to an address %s", (_, provider, env) => expect(refusals(provider, env)).toEqual([]));

  it("is refused on a step too, at its line", () => {
    const text = `workflow: { name: w, entry_point: a }\nsteps:\n  - name: a\n    prompt: hi\n    provider:\n      name: openai\n      base_url: https://example.org\n`;
    const { findings } = loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }, KEY));
    expect(findings).toMatchObject([
      { rule: "key-at-other-address", severity: "error", node: "a", location: { line: 7, column: 17 } },
    ]);
  });
});
