import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const set = (text: string): string =>
  flow(`  - { name: a, type: set, value: "${text}" }`, { section: "input: { topic: { type: string } }" });

ruleCases("unknown-name", [
  { name: "says how an input is read", files: set("{{ topic }}"), lines: [3], suggests: "workflow.input.topic" },
  {
    name: "finds a word that nothing is called",
    files: set("{{ tpoic }}"),
    lines: [3],
    message: /fails when it is rendered/,
  },
  {
    name: "leaves names in scope and guarded ones alone",
    files: set("{{ workflow }}{{ a }}{{ tpoic | default('') }}"),
    lines: [],
  },
]);
