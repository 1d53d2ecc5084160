import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const script = (first: string): string =>
  flow(`
  - name: a
    type: script
    command: x
    routes:
      - { ${first} }
      - to: $end
      - { on_error: a.b, to: $end }`);

ruleCases("error-route-unreachable", [
  {
    name: "refuses a route below a catch-all",
    files: script("on_error: true, to: $end"),
    lines: [9],
    message: /line 7/,
  },
  { name: "refuses it below a list with a star", files: script("on_error: ['*', a.b], halt: m"), lines: [9] },
  { name: "allows it below a retry", files: script("on_error: true, retry: 2"), lines: [] },
  { name: "allows it below retry by way of a step", files: script("on_error: true, retry: 2, to: a"), lines: [] },
  { name: "allows it below a condition", files: script("on_error: true, to: $end, when: attempts > 2"), lines: [] },
  {
    name: "warns of one whose kind is taken above",
    files: script("on_error: a.b, propagate: true"),
    lines: [9],
    severities: ["warning"],
    message: /the one at line 7 takes its errors/,
    asChild: true,
  },
  {
    name: "warns of one below its prefix",
    files: script("on_error: 'a.*', halt: m"),
    lines: [9],
    severities: ["warning"],
  },
  {
    name: "warns of one below a list that has its kind",
    files: script("on_error: [c.d, a.b], halt: m"),
    lines: [9],
    severities: ["warning"],
  },
  { name: "allows it below other kinds", files: script("on_error: [a.c, 'a.b.*'], halt: m"), lines: [] },
  { name: "allows it below a retry of its kind", files: script("on_error: a.b, retry: 2"), lines: [] },
  { name: "allows it below a condition on its kind", files: script("on_error: a.b, when: x, to: $end"), lines: [] },
  {
    name: "warns of a list once all of it is taken, by several routes",
    files: flow(
      "  - { name: a, type: script, command: x, routes: [{ to: $end },\n    { on_error: a.b, to: $end },\n    { on_error: 'c.*', to: $end },\n    { on_error: [a.b, c.d, 'c.e.*'], to: $end }] }",
    ),
    lines: [6],
    severities: ["warning"],
    message: /those at lines 4 and 5 take its errors/,
  },
  {
    name: "allows a list of which some are left",
    files: flow(
      "  - { name: a, type: script, command: x, routes: [{ to: $end }, { on_error: a.b, to: $end }, { on_error: [a.b, c.d], to: $end }] }",
    ),
    lines: [],
  },
  {
    name: "allows a second default for the errors of the step that the first leads to",
    files: flow(
      "  - { name: a, type: script, command: x }\n  - { name: mend, type: script, command: x, routes: [{ to: a }] }",
      { section: "error_routes: [{ on_error: a.b, to: mend }, { on_error: a.b, halt: m }]" },
    ),
    lines: [],
  },
]);
