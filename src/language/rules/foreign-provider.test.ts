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
]);
