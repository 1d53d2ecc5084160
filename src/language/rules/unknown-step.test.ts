import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const step = (fields: string): string => flow(`  - { name: a, ${fields} }\n  - { name: other, type: set, value: "1" }`);

ruleCases("unknown-step", [
  {
    name: "finds a route to nowhere and says what was meant",
    files: step("type: set, value: '1', routes: [{ to: othr }]"),
    lines: [3],
    suggests: "other",
  },
  {
    name: "finds an unknown entry point",
    files: flow("  - { name: a, type: set, value: '1' }", { entry: "b" }),
    lines: [1],
  },
  {
    name: "does not take $end for an entry point",
    files: flow("  - { name: a, type: set, value: '1' }", { entry: "$end" }),
    lines: [1],
  },
  {
    name: "suggests $end for end",
    files: step("type: set, value: '1', routes: [{ to: end }]"),
    lines: [3],
    suggests: "$end",
  },
  {
    name: "looks at gate options",
    files: step("type: human_gate, prompt: p, options: [{ label: Y, value: y, route: nope }]"),
    lines: [3],
  },
  {
    name: "looks at abort_route",
    files: step("type: questions, questions: [{ text: q }], allow_abort: true, abort_route: nope"),
    lines: [3],
  },
  {
    name: "looks at members",
    files: flow("  - { name: a, type: set, value: '1' }", {
      entry: "g",
      more: "parallel: [{ name: g, agents: [a, nope] }]\n",
    }),
    lines: [4],
  },
  {
    name: "looks at error_routes",
    files: flow("  - { name: a, type: script, command: x }", {
      section: "error_routes: [{ on_error: true, to: nope }]",
    }),
    lines: [1],
  },
  {
    name: "explains that an inline step is no target",
    files: flow("  - { name: a, type: set, value: '1', routes: [{ to: w }] }", {
      more: "for_each: [{ name: each, type: for_each, source: workflow.input.xs, as: x, agent: { name: w, type: set, value: '{{ x }}' } }]\n",
    }),
    lines: [3],
    message: /step of its own under `agents`/,
    suggests: "each",
  },
  {
    name: "calls the list of steps what the file calls it",
    files: flow("  - { name: a, type: set, value: '1' }", {
      entry: "g",
      more: "parallel: [{ name: g, agents: [a, nope] }]\n",
    }).replace("agents:", "steps:"),
    lines: [4],
    message: /names of steps under `steps`/,
  },
  {
    name: "finds a route in a called file",
    files: {
      "main.yaml": flow("  - { name: a, type: workflow, workflow: sub/c.yaml }"),
      "sub/c.yaml": flow("  - { name: a, type: set, value: '1', routes: [{ to: nope }] }"),
    },
    lines: [3],
  },
]);
