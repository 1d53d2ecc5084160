import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("unsupported-option", [
  {
    name: "says that a provider of Conductor is not here",
    files: flow("  - { name: a, prompt: p }", { section: "runtime: { provider: hermes }" }),
    lines: [1],
    message: /`hermes`/,
  },
  {
    name: "is silent about providers that are",
    files: flow("  - { name: a, prompt: p }", { section: "runtime: { provider: anthropic }" }),
    lines: [],
  },
  {
    name: "says that fields of claude-agent-sdk have no effect on others",
    files: flow(
      "  - { name: a, prompt: p, provider: { name: codex, auth_mode: api_key, setting_sources: [project] } }",
      { section: "runtime: { provider: { name: anthropic, native_tools: none } }" },
    ),
    lines: [1, 3, 3],
    message: /`claude-agent-sdk`/,
  },
  {
    name: "is silent about them where they belong",
    files: flow("  - { name: a, prompt: p, settings_dir: . }", {
      section:
        "runtime: { provider: { name: claude-agent-sdk, native_tools: none, auth_mode: auto, setting_sources: [] } }",
    }),
    lines: [],
  },
  {
    name: "says that a subscription is not used",
    files: flow("  - { name: a, prompt: p }", {
      section: "runtime: { provider: { name: claude-agent-sdk, auth_mode: subscription } }",
    }),
    lines: [1],
    message: /provider\.rejected/,
  },
  {
    name: "says that another agent has no settings_dir",
    files: flow("  - { name: a, prompt: p, settings_dir: . }", { section: "runtime: { provider: codex }" }),
    lines: [3],
  },
]);
