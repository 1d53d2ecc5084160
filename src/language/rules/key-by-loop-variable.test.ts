import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const each = (key_by: string): string =>
  flow("  - { name: z, type: set, value: '1' }", {
    section: "input: { xs: { type: array } }",
    entry: "each",
    more: `for_each:
  - name: each
    type: for_each
    source: workflow.input.xs
    as: it
    key_by: ${key_by}
    agent: { name: a, type: set, value: "{{ it }}" }
    routes: [{ to: z }]
`,
  });

ruleCases("key-by-loop-variable", [
  { name: "warns of the loop variable itself", files: each("it"), lines: [9], message: /`it\.FIELD`/ },
  { name: "lets a field be named by itself", files: each("id"), lines: [] },
  { name: "lets a field be named below the variable", files: each("it.id"), lines: [] },
]);
