import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const step = (fields: string, word: string, section = ""): string =>
  flow(`  - { name: a, ${fields}, routes: [{ to: $end }, { on_error: ${word}, to: $end }] }`, { section });
const script = "type: script, command: x";

ruleCases("on-error-never", [
  {
    name: "warns about an engine kind that the type cannot raise",
    files: step(script, "provider.exhausted"),
    lines: [3],
    severities: ["warning"],
    message:
      /script step that cannot raise.*Only agents raise it .*a kind of its own, such as `external\.provider\.exhausted`/,
  },
  {
    name: "lets an agent route it",
    files: step("prompt: hi", "provider.exhausted", "runtime: { provider: claude }"),
    lines: [],
  },
  {
    name: "refuses any route on a constant",
    files: step("type: set, value: '1'", "true"),
    lines: [3],
    severities: ["error"],
    message: /only constants/,
  },
  {
    name: "allows it on a constant where policies hold",
    files: step("type: set, value: '1'", "true", "policies: [{ budget: { usd: 5 } }]"),
    lines: [],
  },
  { name: "always allows a route on policy.denied", files: step("type: set, value: '1'", "policy.denied"), lines: [] },
  {
    name: "allows a set with a template",
    files: step("type: set, value: '{{ 1 }}'", "internal.template_error"),
    lines: [],
  },
  {
    name: "refuses an engine kind on a constant",
    files: step("type: set, value: '1'", "provider.exhausted"),
    lines: [3],
    severities: ["error"],
  },
  {
    name: "refuses halt.intentional",
    files: step(script, "[halt.intentional, 'halt.*']"),
    lines: [3, 3],
    severities: ["error", "error"],
    message: /not routable/,
  },
  {
    name: "finds a misspelt engine kind",
    files: step(script, "internal.script_eror"),
    lines: [3],
    severities: ["error"],
    suggests: "internal.script_error",
  },
  {
    name: "knows a kind under another prefix, and says what the step lacks for it",
    files: step("type: http, url: 'http://x'", "http.timeout"),
    lines: [3],
    suggests: "internal.timeout",
    message: /`http\.timeout` is not one of the engine's kinds.*Did you mean `internal\.timeout`\?/,
  },
  {
    name: "calls steps as one says it",
    files: step("type: http, url: 'http://x'", "provider.exhausted"),
    lines: [3],
    message: /`a` is an http step/,
  },
  {
    name: "finds a misspelt engine kind among the defaults, and leaves those of other steps alone there",
    files: flow("  - { name: a, type: script, command: x }", {
      section: "error_routes: [{ on_error: [provider.exhausted, provider.exausted], to: $end }]",
    }),
    lines: [1],
    severities: ["error"],
    suggests: "provider.exhausted",
  },
  {
    name: "says that there is no timeout",
    files: step(script, "internal.timeout"),
    lines: [3],
    severities: ["warning"],
    message: /no `timeout`/,
  },
  { name: "allows it when there is one", files: step(`${script}, timeout: 5`, "internal.timeout"), lines: [] },
  {
    name: "refuses an author's kind where nobody could raise it",
    files: step("type: http, url: 'http://x'", "external.gone"),
    lines: [3],
    severities: ["error"],
  },
  {
    name: "allows engine prefixes that match something",
    files: step("type: http, url: 'http://x'", "'http.*'"),
    lines: [],
  },
  {
    name: "warns about an engine prefix of other steps, and refuses one that matches nothing",
    files: step("type: http, url: 'http://x'", "['provider.*', 'http.nothing.*']"),
    lines: [3, 3],
    severities: ["warning", "error"],
  },
  {
    name: "allows circuit.open everywhere under a breaker of scope step",
    files: step(script, "circuit.open", "resilience: { circuit_breaker: { scope: step } }"),
    lines: [],
  },
  {
    name: "knows what a child lets out",
    files: {
      "main.yaml": step("type: workflow, workflow: c.yaml", "[a.b, a.c]"),
      "c.yaml": flow("  - { name: a, type: script, command: x, raises: [a.b] }"),
    },
    lines: [3],
    message: /`a.c`/,
  },
]);
