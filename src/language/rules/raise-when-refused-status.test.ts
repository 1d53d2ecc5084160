import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const rule = (when: string, more = ""): string =>
  flow(
    `  - { name: a, type: http, url: "http://x", ${more}raise_when: [{ when: "${when}", kind: a.b, message: m }], routes: [{ to: $end }, { on_error: true, to: $end }] }`,
  );

ruleCases("raise-when-refused-status", [
  {
    name: "finds a rule for a status that the step refuses",
    files: rule("{{ output.status == 404 }}"),
    lines: [3],
    message: /not read for 404.*`error is defined and error.details.status_code == 404`/,
  },
  { name: "finds it in a condition without braces", files: rule("status >= 500"), lines: [3] },
  { name: "is content with a rule that names the error", files: rule("error is defined and status == 404"), lines: [] },
  {
    name: "is content with a status that the step accepts",
    files: rule("status == 404", "accept_status: [200-299, 404], "),
    lines: [],
  },
  { name: "leaves rules about other things alone", files: rule("{{ output.body.code == 404 }}"), lines: [] },
  { name: "leaves the statuses of successes alone", files: rule("status == 202"), lines: [] },
]);
