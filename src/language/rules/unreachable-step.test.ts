import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("unreachable-step", [
  {
    name: "finds a step that nothing leads to",
    files: flow(`
  - { name: a, type: set, value: "1" }
  - { name: never, type: set, value: "2" }`),
    lines: [4],
  },
  {
    name: "follows options, abort routes, error routes and groups",
    files: flow(
      `
  - { name: a, type: human_gate, prompt: p, options: [{ label: B, value: b, route: b }, { label: G, value: g, route: g }] }
  - { name: b, type: questions, questions: [{ text: q }], allow_abort: true, abort_route: c }
  - { name: c, type: script, command: x, routes: [{ to: $end }, { on_error: a.b, to: d }, { on_error: true, retry: 2, to: e }] }
  - { name: d, type: set, value: "1" }
  - { name: e, type: set, value: "1" }
  - { name: m1, type: script, command: x, routes: [{ on_error: true, to: standin }] }
  - { name: m2, type: script, command: x }
  - { name: standin, type: set, value: "1" }
  - { name: rescue, type: set, value: "1" }`,
      {
        section: "error_routes: [{ on_error: true, to: rescue }]",
        more: "parallel: [{ name: g, agents: [m1, m2] }]\n",
      },
    ),
    lines: [],
  },
  {
    name: "tells of a group rather than of its members",
    files: flow(
      `
  - { name: a, type: set, value: "1" }
  - { name: b, type: set, value: "1" }
  - { name: c, type: set, value: "1" }`,
      { more: "parallel: [{ name: g, agents: [b, c] }]\n" },
    ),
    lines: [6],
  },
  {
    name: "says nothing when a route is misspelt, which may have been meant for the step",
    files: flow(`
  - { name: a, type: set, value: "1", routes: [{ to: bb }] }
  - { name: b, type: set, value: "2" }`),
    lines: [],
  },
  {
    name: "says nothing when the entry point is unknown",
    files: flow("  - { name: a, type: set, value: '1' }", { entry: "x" }),
    lines: [],
  },
]);
