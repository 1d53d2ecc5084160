import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const file = (to: string): string =>
  flow(`
  - { name: a, type: script, command: x, routes: [{ to: ${to}, output: { done: "true" } }] }
  - { name: b, type: set, value: "1" }`);

ruleCases("route-output-ignored", [
  { name: "finds an output on a route that goes on", files: file("b"), lines: [3] },
  { name: "is content at the end", files: file("$end"), lines: [] },
]);
