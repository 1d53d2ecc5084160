import { flow, ruleCases } from "./rule-cases.ts";

const agent = (fields: string, provider = "claude-agent-sdk"): string =>
  flow(`  - { name: a, ${fields} }`, { section: `runtime: { provider: ${provider} }` });

ruleCases("sandbox-denies", [
  {
    name: "says that a push needs the network",
    files: agent("prompt: Fix it and git push"),
    lines: [3],
    message: /push.*no network/,
  },
  {
    name: "is silent where the network is allowed",
    files: agent("prompt: Fix it and git push, network: true"),
    lines: [],
  },
  {
    name: "says that codex cannot commit",
    files: agent("prompt: Fix the test and commit it.", "codex"),
    lines: [3],
    message: /codex mounts `\.git` read-only/,
  },
  { name: "lets Claude commit", files: agent("prompt: Fix the test and commit it."), lines: [] },
  {
    name: "finds what a read-only agent is allowed in vain",
    files: agent('prompt: Look, sandbox: read-only, allow: ["Edit(src/**)"]'),
    lines: [3],
    message: /`Edit\(src\/\*\*\)`.*workspace/,
  },
  { name: "is silent about full", files: agent("prompt: git push, sandbox: full"), lines: [] },
  {
    name: "is silent about providers that have no tools of their own",
    files: agent("prompt: git push", "anthropic"),
    lines: [],
  },
]);
