import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const file = (input: string, text = "{{ a.error.kind }}"): string =>
  flow(
    `
  - { name: a, type: script, command: x, routes: [{ to: $end }, { on_error: true, to: b }] }
  - { name: b, type: set, input: ${input}, value: "${text}" }`,
    { section: "context: { mode: explicit }" },
  );

ruleCases("explicit-error-undeclared", [
  { name: "wants an input for an error", files: file("[]"), lines: [4], suggests: "a.error" },
  { name: "is content with the whole error", files: file("[a.error]"), lines: [] },
  { name: "is content with a part of it, which brings all", files: file("[a.error.message?]"), lines: [] },
  { name: "is content with a guard", files: file("[]", "{{ a.error | default('') }}"), lines: [] },
]);
