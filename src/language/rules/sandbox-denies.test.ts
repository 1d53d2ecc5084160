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
  {
    name: "points at the provider's `allow` when that is the cause",
    files: agent("prompt: edit", '{ name: claude-agent-sdk, allow: ["Bash(git push:*)"] }'),
    lines: [1],
    message: /by its `allow`.*push/,
  },
  {
    name: "says that codex has no list of what is allowed",
    files: agent('prompt: edit, allow: ["Bash(npm test:*)"]', "codex"),
    lines: [3],
    message: /codex has no such list/,
  },
  { name: "is silent about full", files: agent("prompt: git push, sandbox: full"), lines: [] },
  {
    name: "is silent about providers that have no tools of their own",
    files: agent("prompt: git push", "anthropic"),
    lines: [],
  },
]);
