import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("raw-output-schema", [
  {
    name: "refuses a schema for raw text",
    files: flow("  - { name: a, prompt: p, output_mode: raw, output: { n: { type: number } } }"),
    lines: [3],
  },
  { name: "allows either alone", files: flow("  - { name: a, prompt: p, output_mode: raw }"), lines: [] },
]);
