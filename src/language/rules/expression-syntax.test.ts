import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const route = (when: string): string =>
  flow(`  - { name: a, type: script, command: x, routes: [{ to: $end, when: "${when}" }, { to: $end }] }`);

ruleCases("expression-syntax", [
  { name: "finds a condition that does not parse", files: route("exit_code =="), lines: [3] },
  {
    name: "looks at raise_when",
    files: flow(
      "  - { name: a, type: script, command: x, raise_when: [{ when: 'exit_code ==', kind: a.b, message: m }] }",
    ),
    lines: [3],
  },
  {
    name: "takes Python's words and C's signs",
    files: route("exit_code == 0 and not (stdout == '' || stderr != None) && int(exit_code) < 3"),
    lines: [],
  },
]);
