import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const agent = (fields: string, provider: string): string =>
  flow(`  - { name: a, prompt: p, ${fields} }`, { section: `runtime: { provider: ${provider} }` });

ruleCases("sandbox-unused", [
  {
    name: "finds a sandbox on a step whose provider calls a model",
    files: agent("sandbox: read-only", "anthropic"),
    lines: [3],
    message: /`sandbox` has no effect: `anthropic` calls a model.*`claude-agent-sdk`/,
  },
  {
    name: "looks at the step's own provider before the file's",
    files: agent("provider: openai, ask: gate, network: true", "codex"),
    lines: [3],
    message: /`ask` and `network` have no effect: `openai`/,
  },
  {
    name: "finds it among the settings of the provider itself",
    files: agent("max_agent_iterations: 3", "{ name: claude, sandbox: full }"),
    lines: [1],
  },
  { name: "is silent about agents that work in a folder", files: agent("sandbox: read-only", "codex"), lines: [] },
  {
    name: "is silent where the step has an agent of its own",
    files: agent("provider: codex, sandbox: read-only", "anthropic"),
    lines: [],
  },
  {
    name: "is silent where the file names no provider",
    files: flow("  - { name: a, prompt: p, sandbox: read-only }"),
    lines: [],
  },
  { name: "is silent about Conductor's mapping", files: agent("sandbox: { image: x }", "anthropic"), lines: [] },
]);
