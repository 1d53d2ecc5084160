import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("error-kind-reserved", [
  {
    name: "refuses a kind under the engine's prefixes",
    files: flow("  - { name: a, type: script, command: x, raises: [internal.mine] }"),
    lines: [3],
    suggests: "external.mine",
  },
  {
    name: "keeps every prefix of the engine, gates included",
    files: flow("  - { name: a, type: script, command: x, raises: [retry.mine, gate.mine] }"),
    lines: [3, 3],
  },
  {
    name: "says that engine kinds need no declaration",
    files: flow("  - { name: a, type: script, command: x, timeout: 3, raises: [internal.timeout] }"),
    lines: [3],
    message: /needs no declaration/,
  },
  {
    name: "does not send somebody to a route that could never be taken",
    files: flow("  - { name: a, type: script, command: x, raises: [provider.exhausted] }"),
    lines: [3],
    message: /agents raise it .*Choose a kind of your own, such as `external\.provider\.exhausted`/,
  },
  {
    name: "knows the engine kinds that the step itself raises",
    files: flow("  - { name: a, prompt: hi, raises: [provider.exhausted] }", {
      section: "runtime: { provider: claude }",
    }),
    lines: [3],
    message: /needs no declaration: routes may name it as it is/,
  },
  {
    name: "looks at raise_when",
    files: flow(
      "  - { name: a, type: script, command: x, raise_when: [{ when: 'exit_code == 1', kind: http.mine, message: m }] }",
    ),
    lines: [3],
  },
  {
    name: "lets routes name engine kinds",
    files: flow(
      "  - { name: a, type: script, command: x, routes: [{ to: $end }, { on_error: internal.script_error, to: $end }] }",
    ),
    lines: [],
  },
]);
