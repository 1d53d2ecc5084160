import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("raw-output-schema", [
  {
    name: "refuses a schema for raw text",
    files: flow("  - { name: a, prompt: p, output_mode: raw, output: { n: { type: number } } }"),
    lines: [3],
  },
  {
    name: "warns of kinds that nothing looks for in raw text",
    files: flow(
      "  - { name: a, prompt: p, output_mode: raw, raises: [a.b], routes: [{ to: $end }, { on_error: a.b, to: $end }] }",
    ),
    lines: [3],
    severities: ["warning"],
    message: /cannot raise `a.b`/,
  },
  {
    name: "allows kinds that rules raise",
    files: flow(
      "  - { name: a, prompt: p, output_mode: raw, raises: [a.b], raise_when: [{ when: 'true', kind: a.b, message: m }], routes: [{ to: $end }, { on_error: a.b, to: $end }] }",
    ),
    lines: [],
  },
  { name: "allows either alone", files: flow("  - { name: a, prompt: p, output_mode: raw }"), lines: [] },
]);
