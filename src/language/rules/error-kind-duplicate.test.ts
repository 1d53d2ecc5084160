import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("error-kind-duplicate", [
  {
    name: "refuses one kind twice in raises",
    files: flow("  - { name: a, type: script, command: x, raises: [a.b, a.b] }"),
    lines: [3],
  },
  {
    name: "refuses one kind twice in on_error",
    files: flow(
      "  - { name: a, type: script, command: x, routes: [{ to: $end }, { on_error: [a.b, a.c, a.b], to: $end }] }",
    ),
    lines: [3],
  },
  {
    name: "lets two routes and two rules share a kind",
    files: flow(`
  - name: a
    type: script
    command: x
    raise_when: [{ when: "exit_code == 1", kind: a.b, message: m }, { when: "exit_code == 2", kind: a.b, message: m }]
    routes: [{ to: $end }, { on_error: a.b, retry: 1 }, { on_error: a.b, to: $end }]`),
    lines: [],
  },
]);
