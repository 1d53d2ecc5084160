import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("no-success-route", [
  {
    name: "refuses a step with error routes alone",
    files: flow(`
  - { name: a, type: script, command: x, routes: [{ on_error: true, to: b }] }
  - { name: b, type: set, value: "1" }`),
    lines: [3],
    suggests: "- to: $end",
  },
  {
    name: "leaves members alone, and what only stands in for them",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ on_error: true, to: c }] }
  - { name: b, type: script, command: x }
  - { name: c, type: script, command: x, routes: [{ on_error: true, retry: 2 }] }`,
      { entry: "g", more: "parallel: [{ name: g, agents: [a, b] }]\n" },
    ),
    lines: [],
  },
  {
    name: "takes the options of a gate for its happy path",
    files: flow(`
  - name: a
    type: human_gate
    prompt: "{{ workflow.input.q }}"
    options: [{ label: Y, value: y, route: $end }]
    routes: [{ on_error: true, to: $end }]`),
    lines: [],
  },
]);
