import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const file = (routes: string): string => flow(`  - { name: a, type: script, command: x, routes: [${routes}] }`);

ruleCases("route-unreachable", [
  {
    name: "finds a route below one that always matches",
    files: file("{ to: $end }, { to: a, when: exit_code == 1 }"),
    lines: [3],
  },
  {
    name: "is content when the last one always matches",
    files: file("{ to: a, when: exit_code == 1 }, { to: $end }, { on_error: true, to: $end }"),
    lines: [],
  },
]);
