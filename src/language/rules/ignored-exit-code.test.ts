import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const script = (more = "") => `  - { name: a, type: script, command: make${more} }`;

ruleCases("ignored-exit-code", [
  {
    name: "finds a script whose failure nobody sees",
    files: flow(script()),
    lines: [3],
    message: /`raises: \[\]`.*`ok_exit_codes: any`/,
  },
  {
    name: "finds one whose other fields are read",
    files: flow(script(), { more: 'output: { said: "{{ a.output.stdout }}" }\n' }),
    lines: [3],
  },
  {
    name: "knows a route",
    files: flow(script(", routes: [{ to: $end, when: exit_code == 0 }, { to: $end }]")),
    lines: [],
  },
  {
    name: "knows a route with braces",
    files: flow(script(', routes: [{ to: $end, when: "{{ output.exit_code == 0 }}" }, { to: $end }]')),
    lines: [],
  },
  {
    name: "knows a later template",
    files: flow(script(), { more: 'output: { code: "{{ a.output.exit_code }}" }\n' }),
    lines: [],
  },
  {
    name: "knows a later condition",
    files: flow(
      `${script(", routes: [{ to: b }]")}\n  - { name: b, type: set, value: 1, routes: [{ to: $end, when: a_output_exit_code == 0 }, { to: $end }] }`,
    ),
    lines: [],
  },
  {
    name: "knows who reads the whole output",
    files: flow(script(), { more: 'output: { all: "{{ a.output | tojson }}" }\n' }),
    lines: [],
  },
  { name: "has nothing to say of a step that raises", files: flow(script(", raises: []")), lines: [] },
  { name: "nor of one that says that it does not matter", files: flow(script(", ok_exit_codes: any")), lines: [] },
  { name: "nor in a file with steps", files: flow(script()).replace("agents:", "steps:"), lines: [] },
  {
    name: "knows what reads the outputs of a group",
    files: `workflow: { name: w, entry_point: g }\nagents:\n  - { name: a, type: script, command: make }\n  - { name: b, type: script, command: make }\nparallel:\n  - { name: g, agents: [a, b] }\noutput: { code: "{{ g.outputs.a.exit_code }}", said: "{{ g.outputs.b.stdout }}" }\n`,
    lines: [4],
  },
  {
    name: "knows what reads the items of a group",
    files: `workflow: { name: w, entry_point: g }\nfor_each:\n  - { name: g, type: for_each, source: "{{ [1] }}", as: n, agent: { name: a, type: script, command: make } }\nagents: []\noutput: { codes: "{{ g.outputs | map(attribute='exit_code') | list }}" }\n`,
    lines: [],
  },
]);
