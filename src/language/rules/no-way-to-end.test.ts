import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

ruleCases("no-way-to-end", [
  {
    name: "finds steps that lead only to one another, and says it once",
    files: flow(`
  - { name: a, type: set, value: "1", routes: [{ to: b }] }
  - { name: b, type: set, value: "1", routes: [{ to: a }] }`),
    lines: [3],
    message: /`a` and `b`/,
  },
  {
    name: "takes a halt, a terminate and an error route for ends",
    files: flow(`
  - { name: a, type: script, command: x, routes: [{ to: b, when: exit_code == 0 }, { to: c, when: exit_code == 1 }, { to: d }] }
  - { name: b, type: script, command: x, routes: [{ to: b, when: exit_code == 0 }, { halt: stop }] }
  - { name: c, type: terminate, status: success, reason: r }
  - { name: d, type: script, command: x, routes: [{ to: d }, { on_error: true, to: $end }] }`),
    lines: [],
  },
]);
