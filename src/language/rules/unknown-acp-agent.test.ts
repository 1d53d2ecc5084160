import { expect, it } from "vitest";
import { flow, ruleCases } from "../../../test/support/rule-cases.ts";
import { KNOWN_AGENTS } from "../../features/coding-agents/acp/known-agents.ts";
import { ACP_AGENTS } from "../schema/names.ts";

const agent = (provider: string, step = ""): string =>
  flow(`  - { name: a, prompt: p${step} }`, { section: `runtime: { provider: ${provider} }` });

ruleCases("unknown-acp-agent", [
  {
    name: "finds a name that was mistyped, and says which are known",
    files: agent("{ name: acp, agent: gemni }"),
    lines: [3],
    message: /does not know the agent `gemni`.*Did you mean.*gemini.*`goose`/,
    suggests: "gemini",
  },
  { name: "finds acp without an agent", files: agent("acp"), lines: [3], message: /does not say which agent/ },
  { name: "is silent about a known agent", files: agent("{ name: acp, agent: opencode }"), lines: [] },
  {
    name: "is silent where the step names one",
    files: agent("acp", ", provider: { name: acp, agent: gemini }"),
    lines: [],
  },
  { name: "is silent about a command", files: agent("{ name: acp, command: my-agent, args: [--acp] }"), lines: [] },
  { name: "is silent about other providers", files: agent("codex"), lines: [] },
]);

it("knows the agents that the provider knows", () => {
  expect(Object.keys(ACP_AGENTS)).toEqual(KNOWN_AGENTS);
});
