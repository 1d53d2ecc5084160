import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const set = (text: string, section = ""): string =>
  flow(
    `
  - { name: a, type: set, value: "${text}" }
  - { name: planner, type: set, value: "1" }`,
    { section },
  );
const when = (condition: string, fields = "type: script, command: x"): string =>
  flow(`
  - { name: a, ${fields}, routes: [{ to: planner, when: "${condition}" }, { to: $end }] }
  - { name: planner, type: set, value: "1" }`);
const inputs = "input: { version: { type: string } }";

ruleCases("unknown-reference", [
  {
    name: "finds a step that does not exist",
    files: set("{{ planr.output.x }}"),
    lines: [3],
    suggests: "planner.output.x",
  },
  {
    name: "finds an input that is not declared",
    files: set("{{ workflow.input.verson }}", inputs),
    lines: [3],
    suggests: "workflow.input.version",
  },
  {
    name: "does not check inputs of a file that declares none",
    files: set("{{ workflow.input.anything }}"),
    lines: [],
  },
  {
    name: "finds parts that a step does not have",
    files: set("{% if planner is defined %}x{% endif %}{{ planner.score }}"),
    lines: [3],
    suggests: "planner.output.score",
  },
  {
    name: "finds parts that workflow and context do not have",
    files: set("{{ workflow.title }}{{ context.count }}"),
    lines: [3, 3],
  },
  { name: "says where `output` is in scope", files: set("{{ output.x }}"), lines: [3], message: /own result/ },
  {
    name: "knows loop and set names of the template",
    files: set("{% for x in [1] %}{{ x }}{{ loop.index }}{% endfor %}{% set y = 1 %}{{ y }}"),
    lines: [],
  },
  {
    name: "forgives guarded names",
    files: set("{{ nobody.output | default('') }}{% if other is defined %}{{ other.output }}{% endif %}"),
    lines: [],
  },
  { name: "takes a bare output field of a script for granted", files: when("anything == 1"), lines: [] },
  { name: "finds a bare name that cannot exist", files: when("waited == 1", "type: wait, duration: 1"), lines: [3] },
  {
    name: "knows flattened names",
    files: when("workflow_input.x and context_iteration < 3 and output_x and planner_output == 1"),
    lines: [],
  },
  {
    name: "knows the envelope's fields on an error route",
    files: flow(
      "  - { name: a, type: http, url: 'http://x', routes: [{ to: $end }, { on_error: true, when: \"kind == 'http.status' and details.status_code == 404 and attempts < 3\", to: $end }] }",
    ),
    lines: [],
  },
  {
    name: "looks at input, source and hooks",
    files: flow("  - { name: a, type: set, input: [nope.output], value: '1' }", {
      entry: "each",
      section: "hooks: { on_complete: '{{ result }} {{ nobody.x }}' }",
      more: "for_each: [{ name: each, type: for_each, source: finder.output.xs, as: x, agent: { name: w, type: set, value: '{{ x }}{{ _index }}{{ y.z }}' } }]\n",
    }),
    lines: [1, 3, 4, 4],
  },
  {
    name: "forgives optional inputs",
    files: flow("  - { name: a, type: set, input: ['nope.output?'], value: '1' }"),
    lines: [],
  },
]);
