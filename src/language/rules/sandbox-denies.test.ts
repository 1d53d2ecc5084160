import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

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
  {
    name: "names both where codex is to commit and push",
    files: agent("prompt: Fix the test then commit and push.", "codex"),
    lines: [3, 3],
    message: /commit.*`\.git` read-only[\s\S]*push.*no network/,
  },
  {
    name: "says that nothing confines copilot's commands",
    files: agent('prompt: Fix it, allow: ["shell(npm test)"]', "copilot"),
    lines: [3],
    message: /`shell\(npm test\)`.*refused before it starts/,
  },
  {
    name: "says that copilot has no list of what is allowed",
    files: agent('prompt: Fix it, allow: ["write"]', "copilot"),
    lines: [3],
    message: /copilot has no such list/,
  },
  {
    name: "says that copilot runs no commands, so that it commits nothing",
    files: agent("prompt: Fix the test and commit it.", "copilot"),
    lines: [3],
    message: /copilot runs no commands/,
  },
  {
    name: "is silent where a person may let copilot commit",
    files: agent("prompt: Fix the test and commit it., ask: gate", "copilot"),
    lines: [],
  },
  ...[
    "Write the result to out.json",
    "Look at the code and edit src/sum.mjs",
    "Read all of it. Then create a file with what you found",
    "Please update the README.md",
    "1. Look 2. Delete the file notes.txt",
  ].map((prompt) => ({
    name: `says that a read-only agent writes nothing: ${prompt}`,
    files: agent(`prompt: "${prompt}", sandbox: read-only`),
    lines: [3],
    message: /its prompt says `.*read-only/,
  })),
  ...[
    "Do not edit any files",
    "Review the change. Never write to files",
    "Write a summary of what is in README.md",
    "Explain how to create a file",
    "List the files and say which should be edited",
    "Say whether somebody could rename the file",
    "Find out why the test of src/sum.mjs fails",
    "Write a short guide to the code",
    "Write an answer about notes.md",
  ].map((prompt) => ({
    name: `takes no order out of this: ${prompt}`,
    files: agent(`prompt: "${prompt}", sandbox: read-only`),
    lines: [],
  })),
  {
    name: "is silent about files where a person may allow it",
    files: agent("prompt: Edit src/sum.mjs, sandbox: read-only, ask: gate"),
    lines: [],
  },
]);
