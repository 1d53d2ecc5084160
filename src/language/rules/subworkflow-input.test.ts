import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const child = flow("  - { name: a, type: set, value: '1' }", {
  section:
    "input: { diff: { type: string }, title: { type: string, default: t }, hint: { type: string, required: false } }",
});
const files = (mapping: string, section = ""): Record<string, string> => ({
  "main.yaml": flow(`  - { name: a, type: workflow, workflow: c.yaml${mapping} }`, { section }),
  "c.yaml": child,
});

ruleCases("subworkflow-input", [
  {
    name: "wants a required input to be mapped",
    files: files(", input_mapping: { title: x }"),
    lines: [3],
    message: /`diff`/,
  },
  { name: "is content when it is", files: files(", input_mapping: { diff: x }"), lines: [] },
  {
    name: "without a mapping looks at the inputs of the caller",
    files: files("", "input: { other: { type: string } }"),
    lines: [3],
  },
  {
    name: "without a mapping passes an input of the same name",
    files: files("", "input: { diff: { type: string } }"),
    lines: [],
  },
  { name: "does not judge a caller that takes any input", files: files(""), lines: [] },
]);
