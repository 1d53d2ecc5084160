import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("duplicate-name", [
  {
    name: "finds two steps of one name",
    files: flow(`
  - { name: a, type: set, value: "1" }
  - { name: a, type: set, value: "2" }`),
    lines: [4],
    message: /another step, at line 3/,
  },
  {
    name: "finds a group with the name of a step",
    files: flow(
      `
  - { name: a, type: set, value: "1" }
  - { name: b, type: set, value: "1" }`,
      { more: "parallel: [{ name: a, agents: [a, b] }]\n" },
    ),
    lines: [5],
  },
  {
    name: "finds an inline step with the name of a step",
    files: flow("  - { name: a, type: set, value: '1', routes: [{ to: each }] }", {
      more: "for_each: [{ name: each, type: for_each, source: workflow.input.xs, as: x, agent: { name: a, type: set, value: '{{ x }}' } }]\n",
    }).replace("agents:", "steps:"),
    lines: [4],
  },
  {
    name: "finds two options of one value",
    files: flow(
      "  - { name: a, type: human_gate, prompt: p, options: [{ label: Y, value: y, route: $end }, { label: Z, value: y, route: $end }] }",
    ),
    lines: [3],
  },
  {
    name: "finds two questions of one id",
    files: flow("  - { name: a, type: questions, questions: [{ id: q, text: one }, { id: q, text: two }] }"),
    lines: [3],
  },
  {
    name: "finds a member that is listed twice",
    files: flow("  - { name: a, type: set, value: '1' }", {
      entry: "g",
      more: "parallel: [{ name: g, agents: [a, a] }]\n",
    }),
    lines: [4],
  },
  {
    name: "is silent when all differ",
    files: flow(`
  - { name: a, type: set, value: "1" }
  - { name: b, type: set, value: "2" }`),
    lines: [],
  },
]);
