import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const file = (text: string, mode = "last_only"): string =>
  flow(
    `
  - { name: a, type: script, command: x, routes: [{ to: b }] }
  - { name: b, type: script, command: x, routes: [{ to: c }] }
  - { name: c, type: set, value: "${text}" }`,
    { section: `context: { mode: ${mode} }` },
  );

ruleCases("last-only-reference", [
  { name: "finds a step that is not the last one", files: file("{{ a.output.stdout }}"), lines: [5] },
  { name: "is content with the last one", files: file("{{ b.output.stdout }}"), lines: [] },
  { name: "is silent in other modes", files: file("{{ a.output.stdout }}", "accumulate"), lines: [] },
]);
