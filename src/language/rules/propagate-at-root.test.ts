import { flow, ruleCases } from "./rule-cases.ts";

const file = flow(`
  - name: a
    type: script
    command: x
    routes:
      - to: $end
      - { on_error: true, propagate: true }`);

ruleCases("propagate-at-root", [
  { name: "refuses propagate in the root", files: file, lines: [8] },
  { name: "allows it in a file that is only called", files: file, lines: [], asChild: true },
  {
    name: "allows it in a child of the file that is validated",
    files: { "main.yaml": flow("  - { name: a, type: workflow, workflow: child.yaml }"), "child.yaml": file },
    lines: [],
  },
  {
    name: "allows it on a member, whose group is its parent",
    files: flow(
      `
  - { name: a, type: script, command: x, routes: [{ on_error: true, propagate: true }] }
  - { name: b, type: script, command: x }`,
      { entry: "g", more: "parallel: [{ name: g, agents: [a, b] }]\n" },
    ),
    lines: [],
  },
]);
