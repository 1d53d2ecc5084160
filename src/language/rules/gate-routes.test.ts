import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const gate = (options: string, routes = ""): string =>
  flow(`  - { name: a, type: human_gate, prompt: p, options: [${options}]${routes} }`);

ruleCases("gate-routes", [
  {
    name: "finds an option that leads nowhere beside one that does",
    files: gate("{ label: Y, value: y, route: $end }, { label: N, value: n }"),
    lines: [3],
    message: /`n`/,
  },
  {
    name: "finds routes that no option leaves to be read",
    files: gate("{ label: Y, value: y, route: $end }", ", routes: [{ to: $end }]"),
    lines: [3],
    message: /never read/,
  },
  {
    name: "takes options by name with routes",
    files: gate("{ name: y }, { name: n }", ", routes: [{ to: $end, when: \"choice == 'y'\" }, { to: $end }]"),
    lines: [],
  },
]);
