import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const gate = (more: string): string =>
  flow(`
  - name: a
    type: human_gate
    prompt: Ship it?
    options: [{ value: approve, route: $end }, { value: reject, route: $end }]
    ${more}`);

ruleCases("gate-timeout", [
  {
    name: "finds a value that is no option",
    files: gate("timeout: 2h\n    on_timeout: aprove"),
    lines: [8],
    suggests: "approve",
  },
  { name: "is content with an option", files: gate("timeout: 2h\n    on_timeout: reject"), lines: [] },
  { name: "has nothing to say about a gate that raises", files: gate("timeout: 2h"), lines: [] },
]);
