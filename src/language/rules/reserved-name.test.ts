import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("reserved-name", [
  {
    name: "refuses names that templates need",
    files: flow("  - { name: workflow, type: set, value: '1' }", { entry: "workflow" }),
    lines: [3],
  },
  {
    name: "allows `error`, which Conductor's files may use",
    files: flow("  - { name: error, type: set, value: '1' }", { entry: "error" }),
    lines: [],
  },
]);
