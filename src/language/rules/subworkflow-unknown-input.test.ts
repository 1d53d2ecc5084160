import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const files = (mapping: string): Record<string, string> => ({
  "main.yaml": flow(`  - { name: a, type: workflow, workflow: c.yaml, input_mapping: { ${mapping} } }`),
  "c.yaml": flow("  - { name: a, type: set, value: '1' }", {
    section: "input: { diff: { type: string, default: d } }",
  }),
});

ruleCases("subworkflow-unknown-input", [
  { name: "finds an input that would be dropped", files: files("dif: x"), lines: [3], suggests: "diff" },
  { name: "is content with declared ones", files: files("diff: x"), lines: [] },
]);
