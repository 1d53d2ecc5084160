import { flow, ruleCases } from "./rule-cases.ts";

const reader = (text: string, routes = "[{ to: b }]", first = "type: script, command: x"): string =>
  flow(`
  - { name: a, ${first}, routes: ${routes} }
  - { name: b, type: set, value: "${text}" }`);
const handled = "[{ to: $end }, { on_error: true, to: b }]";

ruleCases("error-reference-undeclared", [
  {
    name: "refuses the error of a constant",
    files: reader("{{ a.error.kind }}", undefined, "type: set, value: '1'"),
    lines: [4],
    message: /raises nothing/,
  },
  {
    name: "refuses an error that no error route leads here with",
    files: reader("{{ a.error.kind }}"),
    lines: [4],
    message: /no error route of `a` leads to `b`/,
  },
  { name: "allows it in the handler", files: reader("{{ a.error.kind }}", handled), lines: [] },
  {
    name: "allows it further on",
    files: flow(`
  - { name: a, type: script, command: x, routes: [{ to: $end }, { on_error: true, to: b }] }
  - { name: b, type: set, value: "{{ 1 }}", routes: [{ to: c }] }
  - { name: c, type: set, value: "{{ a.error.kind }}" }`),
    lines: [],
  },
  {
    name: "allows every kind of guard",
    files: reader(
      "{{ a.error is defined }}{% if a.error is defined %}{{ a.error.kind }}{% endif %}{{ a.error | default('none') }}",
    ),
    lines: [],
  },
  {
    name: "counts error_routes",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ to: $end }] }
  - { name: b, type: set, value: "{{ a.error.kind }} {{ error.kind }}" }`,
      { section: "error_routes: [{ on_error: true, to: b }]" },
    ),
    lines: [],
  },
  {
    name: "allows it in the output when an error route leads to the end",
    files: flow("  - { name: a, type: script, command: x, routes: [{ to: $end }, { on_error: true, to: $end }] }", {
      more: 'output: { k: "{{ a.error.kind }}" }\n',
    }),
    lines: [],
  },
  {
    name: "refuses `error` where no error route leads",
    files: reader("{{ error.kind }}"),
    lines: [4],
    message: /no error route leads straight to `b`/,
  },
  { name: "allows `error` in a handler", files: reader("{{ error.kind }}", handled), lines: [] },
  {
    name: "refuses a sibling's error",
    files: flow(
      `
  - { name: a, type: script, command: x }
  - { name: b, type: set, value: "{{ a.error.kind }}" }`,
      { entry: "g", more: "parallel: [{ name: g, agents: [a, b] }]\n" },
    ),
    lines: [4],
    message: /at the same time/,
  },
  {
    name: "allows a member's error in the step that stands in for it",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ on_error: true, to: c }] }
  - { name: b, type: set, value: "{{ 1 }}" }
  - { name: c, type: set, value: "{{ a.error.kind }} {{ error.kind }}" }`,
      { entry: "g", more: "parallel: [{ name: g, agents: [a, b] }]\n" },
    ),
    lines: [],
  },
  {
    name: "allows it on the step's own error route",
    files: flow(
      "  - { name: a, type: script, command: x, routes: [{ to: $end }, { on_error: true, halt: { message: '{{ a.error.kind }}' } }] }",
    ),
    lines: [],
  },
  {
    name: "knows the flattened name of a bare condition",
    files: flow(`
  - { name: a, type: script, command: x, routes: [{ to: b }] }
  - { name: b, type: script, command: x, routes: [{ to: $end, when: "a_error.kind == 'x.y'" }, { to: $end }] }`),
    lines: [4],
  },
]);
