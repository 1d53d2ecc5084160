import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const file = (
  output: string,
  routes = "[{ to: b, when: exit_code == 0 }, { to: $end }]",
  last = '{ name: b, type: set, value: "1" }',
): string =>
  flow(
    `
  - { name: a, type: script, command: x, routes: ${routes} }
  - ${last}`,
    { more: `output: { v: "${output}" }\n` },
  );

ruleCases("output-not-on-every-path", [
  { name: "finds a step that a way to the end leaves out", files: file("{{ b.output }}"), lines: [5] },
  {
    name: "is content when every way runs it",
    files: file("{{ b.output }}{{ a.output.x }}", "[{ to: b }]"),
    lines: [],
  },
  {
    name: "knows that `default` helps against a missing field, not against a missing step",
    files: file("{{ b.output | default('x') }}{{ b.error | default('y') }}"),
    lines: [5],
  },
  {
    name: "is content with `default` where the step has run",
    files: file("{{ b.output | default('x') }}{{ b.error | default('y') }}", "[{ to: b }]"),
    lines: [],
  },
  { name: "is content with a guard", files: file("{% if b is defined %}{{ b.output }}{% endif %}"), lines: [] },
  {
    name: "is content with an else where every way runs one of the two",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ to: b, when: exit_code == 0 }, { to: c }] }
  - { name: b, type: set, value: "1" }
  - { name: c, type: set, value: "2" }`,
      { more: 'output: { v: "{% if b is defined %}{{ b.output }}{% else %}{{ c.output }}{% endif %}" }\n' },
    ),
    lines: [],
  },
  {
    name: "does not count ends with an output of their own",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ to: b, when: exit_code == 0 }, { to: c }] }
  - { name: b, type: set, value: "1" }
  - { name: c, type: terminate, status: failed, reason: r, output_template: { v: "0" } }`,
      { more: 'output: { v: "{{ b.output }}" }\n' },
    ),
    lines: [],
  },
  {
    name: "counts a terminate that leaves the output to the workflow",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ to: b, when: exit_code == 0 }, { to: c }] }
  - { name: b, type: set, value: "1" }
  - { name: c, type: terminate, status: failed, reason: r }`,
      { more: 'output: { v: "{{ b.output }}" }\n' },
    ),
    lines: [6],
  },
  {
    name: "counts error routes",
    files: file("{{ b.output }}", "[{ to: b }, { on_error: true, to: $end }]"),
    lines: [5],
  },
  {
    name: "knows that an error is not always there",
    files: file("{{ a.error.kind }}", "[{ to: $end }, { on_error: true, to: b }]"),
    lines: [5],
    message: /without `a` having raised/,
  },
]);
