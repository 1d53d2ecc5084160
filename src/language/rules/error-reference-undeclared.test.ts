import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

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
    name: "refuses a sibling's error behind a guard, too",
    files: flow(
      `
  - { name: a, type: script, command: x }
  - { name: b, type: set, value: "{% if a.error is defined %}{{ a.error.kind }}{% endif %}" }
  - { name: c, type: script, command: x, args: ["{{ a.error | default('none') }}"] }`,
      { entry: "g", more: "parallel: [{ name: g, agents: [a, b, c] }]\n" },
    ),
    lines: [4, 4, 5],
    message: /at the same time.*`g\.errors`/,
  },
  {
    name: "allows it of a sibling that may have run before the group did",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ to: g }, { on_error: true, to: g }] }
  - { name: b, type: set, value: "{{ a.error is defined }}" }`,
      { entry: "a", more: "parallel: [{ name: g, agents: [a, b] }]\n" },
    ),
    lines: [],
  },
  {
    name: "allows `error` in all that a handler says, and in the members of a group that handles",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ to: $end }, { on_error: true, to: h }] }
  - name: h
    type: set
    value: "{{ 1 }}"
    raise_when: [{ when: "{{ error.kind == 'x.y' }}", kind: a.b, message: "{{ error.kind }}", details: { d: "{{ error.kind }}" } }]
    routes:
      - { to: $end, when: "error.kind == 'x.y'", output: { k: "{{ error.kind }}" } }
      - { to: g, when: "{{ error.kind == 'x.z' }}" }
      - { halt: { message: "{{ error.kind }}" } }
      - { on_error: true, to: g, when: "{{ error.cause.kind == 'x.y' }}" }
  - { name: m, type: set, value: "{{ error.kind }}" }
  - { name: n, type: set, value: "{{ error.kind }}" }`,
      { more: "parallel: [{ name: g, agents: [m, n] }]\n" },
    ),
    lines: [],
  },
  {
    name: "refuses `error` in all that a step says to which no error leads",
    files: flow(`
  - name: a
    type: set
    value: "{{ 1 }}"
    raise_when:
      - { when: "{{ error.kind == 'x.y' }}", kind: a.b, message: m }
      - { when: "{{ 1 == 2 }}", kind: a.b, message: "{{ error.kind }}", details: { d: "{{ error.kind }}" } }
    routes:
      - { to: $end, when: "{{ error.kind == 'x.y' }}" }
      - { to: $end, output: { k: "{{ error.kind }}" } }`),
    lines: [7, 8, 8, 10, 11],
  },
  {
    name: "says that a condition of raise_when is read after a success, too",
    files: flow(`
  - name: a
    type: http
    url: http://x
    raise_when:
      - { when: "{{ error.details.status_code == 404 }}", kind: a.b, message: m }
      - { when: "{{ error is defined and error.kind == 'http.status' }}", kind: a.b, message: "{{ error.kind }}" }`),
    lines: [7],
    message: /Write `error is defined and/,
  },
  {
    name: "takes a bare `error` for a field of the output where there may be one",
    files: flow(`
  - { name: a, type: script, command: x, raise_when: [{ when: "error != ''", kind: a.b, message: m }], routes: [{ to: $end, when: "error == 'x'" }, { to: $end }] }`),
    lines: [],
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
