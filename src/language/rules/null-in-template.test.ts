import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const value = (text: string): string => flow(`  - { name: a, type: set, value: "${text}" }`);
const when = (text: string): string =>
  flow(`  - { name: a, type: script, command: x, routes: [{ to: $end, when: "${text}" }, { to: $end }] }`);

ruleCases("null-in-template", [
  { name: "finds null in a template", files: value("{{ 1 if 2 == null }}"), lines: [3], suggests: "none" },
  { name: "finds null as a test", files: value("{{ 1 is null }}"), lines: [3] },
  { name: "finds null in a condition with braces", files: when("{{ output.y == null }}"), lines: [3] },
  { name: "finds null in a bare condition", files: when("exit_code != null"), lines: [3] },
  { name: "says it once for each text", files: value("{{ null }} {{ null }}"), lines: [3] },
  { name: "is content with none", files: value("{{ none }}"), lines: [] },
  {
    name: "takes no text, field or argument for it",
    files: value("null {{ 'null' }} {{ {'null': 1}.null }} {{ dict(null=1) }}"),
    lines: [],
  },
  { name: "leaves what does not parse to another rule", files: value("{{ null + }}"), lines: [] },
]);
