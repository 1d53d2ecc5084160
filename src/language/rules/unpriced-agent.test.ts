import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const agent = (provider: string, limits = "budget_usd: 5"): string =>
  flow("  - { name: a, prompt: p }", { section: `runtime: { provider: ${provider} }, limits: { ${limits} }` });

ruleCases("unpriced-agent", [
  {
    name: "finds an agent that says nothing of its use under a budget",
    files: agent("{ name: acp, agent: opencode }"),
    lines: [3],
    message: /cannot hold `a`: `opencode` does not say what it used.*`price`/,
  },
  { name: "finds any command", files: agent("{ name: acp, command: my-agent }"), lines: [3] },
  { name: "is silent where each call has a price", files: agent("{ name: acp, command: x, price: 0.2 }"), lines: [] },
  { name: "is silent about an agent that says it", files: agent("{ name: acp, agent: gemini }"), lines: [] },
  { name: "is silent without a budget", files: agent("{ name: acp, agent: goose }", "max_iterations: 5"), lines: [] },
  { name: "is silent about other agents", files: agent("codex"), lines: [] },
]);
