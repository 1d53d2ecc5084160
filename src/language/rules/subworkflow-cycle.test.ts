import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const call = (file: string, more = ""): string => flow(`  - { name: a, type: workflow, workflow: ${file}${more} }`);

ruleCases("subworkflow-cycle", [
  {
    name: "refuses a file that calls itself",
    files: { "main.yaml": call("main.yaml") },
    lines: [3],
    message: /this very file/,
  },
  { name: "allows it with max_depth", files: { "main.yaml": call("main.yaml", ", max_depth: 3") }, lines: [] },
  {
    name: "refuses a circle through another file",
    files: { "main.yaml": call("b.yaml"), "b.yaml": call("main.yaml") },
    lines: [3, 3],
  },
  {
    name: "allows it when one step has max_depth",
    files: { "main.yaml": call("b.yaml"), "b.yaml": call("main.yaml", ", max_depth: 2") },
    lines: [],
  },
  {
    name: "allows two calls of one file",
    files: {
      "main.yaml": flow(`
  - { name: a, type: workflow, workflow: b.yaml, routes: [{ to: b }] }
  - { name: b, type: workflow, workflow: b.yaml }`),
      "b.yaml": flow("  - { name: a, type: set, value: '1' }"),
    },
    lines: [],
  },
]);
