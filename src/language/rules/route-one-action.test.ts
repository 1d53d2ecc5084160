import { expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { flow, ruleCases } from "../../../test/support/rule-cases.ts";
import { validateWorkflow } from "../validate.ts";

const script = (routes: string): string =>
  flow(`
  - name: a
    type: script
    command: "true"
    routes:
      - to: b
${routes}
  - { name: b, type: set, value: "1" }`);

ruleCases("route-one-action", [
  {
    name: "refuses two actions",
    files: script("      - { on_error: x.y, to: b, halt: { message: m } }"),
    lines: [8],
    message: /`to` and `halt`/,
  },
  {
    name: "refuses a route without any action",
    files: script("      - on_error: x.y"),
    lines: [8],
    message: /no action/,
  },
  {
    name: "allows retry by way of another step",
    files: script("      - { on_error: x.y, retry: 2, to: b }"),
    lines: [],
  },
  {
    name: "looks at error_routes too",
    files: flow(`  - { name: a, type: script, command: "true" }`, { section: "error_routes: [{ on_error: true }]" }),
    lines: [1],
  },
]);

it("leaves an action whose value was refused to those who refused it", () => {
  const text = flow("  - { name: a, type: script, command: x, routes: [{ on_error: true, retry: 0 }, { to: $end }] }");
  const { findings } = validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }), { asChild: false });
  expect(findings.map(({ rule }) => rule)).toEqual(["wrong-type"]);
});
