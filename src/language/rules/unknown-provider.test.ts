import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("unknown-provider", [
  {
    name: "finds a misspelt provider",
    files: flow("  - { name: a, prompt: p }", { section: "runtime: { provider: antropic }" }),
    lines: [1],
    suggests: "anthropic",
  },
  { name: "looks at agents", files: flow("  - { name: a, prompt: p, provider: gemini }"), lines: [3] },
  {
    name: "leaves Conductor's own to another rule",
    files: flow("  - { name: a, prompt: p, provider: claude }", { section: "runtime: { provider: hermes }" }),
    lines: [],
  },
]);
