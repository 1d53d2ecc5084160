import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const agent = (rest: string, reader = "{{ 1 }}"): string =>
  flow(`
  - { name: a, prompt: p, output: { score: { type: number }, meta: { type: object, properties: { tags: { type: array, items: { type: object, properties: { id: { type: string } } } } } } }, routes: [${rest}] }
  - { name: b, type: set, value: "${reader}" }`);

const input = (type: string, read: string): string =>
  flow(`  - { name: a, type: set, value: "{{ ${read} }}" }`, { section: `input: { date: { type: ${type} } }` });

ruleCases("unknown-field", [
  ...["string", "number", "boolean", "array"].map((type) => ({
    name: `finds a field of an input that is a ${type}`,
    files: input(type, "workflow.input.date.foo.bar"),
    lines: [3],
    suggests: "workflow.input.date",
    message: new RegExp(`\`workflow.input.date\` is an? ${type} and has no field \`foo\``),
  })),
  {
    name: "finds one in the name of the run",
    files: flow("  - { name: a, type: set, value: 1 }", {
      section: 'run_name: "{{ workflow.input.date.foo }}", input: { date: { type: string } }',
    }),
    lines: [1],
  },
  {
    name: "leaves methods, places and fields of an object alone",
    files: flow(
      `  - { name: a, type: set, value: "{{ workflow.input.date.upper() }}{{ workflow.input.date[0] }}{{ workflow.input.list[0].x }}{{ workflow.input.it.foo }}{{ workflow.input.date.foo | default(1) }}" }`,
      { section: "input: { date: { type: string }, list: { type: array }, it: { type: object } }" },
    ),
    lines: [],
  },
  {
    name: "finds a field that the schema does not list",
    files: agent("{ to: b }", "{{ a.output.scor }}"),
    lines: [4],
    suggests: "a.output.score",
  },
  {
    name: "follows objects and lists",
    files: agent("{ to: b }", "{{ a.output.meta.tags[0].idd }}{{ a.output.meta.tags[0].id }}"),
    lines: [4],
    suggests: "a.output.meta.tags[0].id",
  },
  {
    name: "looks at `output` in routes",
    files: agent("{ to: b, when: '{{ output.scor > 3 }}' }, { to: $end }"),
    lines: [3],
  },
  { name: "looks at bare names", files: agent("{ to: b, when: 'scor > 3' }, { to: $end }"), lines: [3] },
  {
    name: "leaves known fields, methods and guards alone",
    files: agent(
      "{ to: b, when: 'score > 3' }, { to: $end }",
      "{{ a.output.score }}{{ a.output.items() }}{{ a.output.extra | default(1) }}",
    ),
    lines: [],
  },
  {
    name: "leaves the changes of a coding agent to the rule about them",
    files: flow(
      `
  - { name: a, prompt: p, provider: codex, output: { x: { type: number } }, routes: [{ to: m }] }
  - { name: m, prompt: p, provider: anthropic, output: { x: { type: number } }, routes: [{ to: b }] }
  - { name: b, type: set, value: "{{ a.output.changes.added }}{{ m.output.changes }}" }`,
    ),
    lines: [5],
    message: /`m`/,
  },
  {
    name: "knows what a type always gives",
    files: flow(`
  - { name: a, type: wait, duration: 1, routes: [{ to: b }] }
  - { name: b, type: set, value: "{{ a.output.waited }}{{ a.output.waited_seconds }}" }`),
    lines: [4],
  },
  {
    name: "knows the fields of a script beside its schema",
    files: flow(`
  - { name: a, type: script, command: x, output: { n: { type: number } }, routes: [{ to: b, when: "exit_code == 0 and n > 1" }, { to: $end }] }
  - { name: b, type: set, value: "{{ a.output.stdout }}{{ a.output.m }}" }`),
    lines: [4],
  },
  {
    name: "looks through a parallel group at its members",
    files: flow(
      `
  - { name: a, prompt: p, output: { score: { type: number } } }
  - { name: b, type: script, command: x }
  - { name: c, type: set, value: "{{ g.outputs.a.scor }}{{ g.outputs.b.anything }}{{ g.outputs.nobody }}" }`,
      { entry: "g", more: "parallel: [{ name: g, agents: [a, b], routes: [{ to: c }] }]\n" },
    ),
    lines: [5, 5],
  },
  {
    name: "knows what a child gives",
    files: {
      "main.yaml": flow(`
  - { name: a, type: workflow, workflow: c.yaml, routes: [{ to: b }] }
  - { name: b, type: set, value: "{{ a.output.answr }}{{ a.output.answer }}" }`),
      "c.yaml": flow("  - { name: a, type: set, value: '1' }", { more: 'output: { answer: "42" }\n' }),
    },
    lines: [4],
    suggests: "a.output.answer",
  },
]);
