import { expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { flow, ruleCases } from "../../../test/support/rule-cases.ts";
import { validateWorkflow } from "../validate.ts";

const file = (routes: string): string => flow(`  - { name: a, type: script, command: x, routes: [${routes}] }`);

ruleCases("on-error-empty", [
  { name: "warns about an on_error with nothing behind it", files: file("{ on_error: null, to: $end }"), lines: [3] },
  {
    name: "warns about a group's too",
    files: `workflow: { name: case, entry_point: g }
agents:
  - { name: a, type: script, command: x }
  - { name: b, type: script, command: x }
parallel:
  - name: g
    agents: [a, b]
    routes:
      - on_error:
        to: $end
`,
    lines: [9],
  },
  { name: "is content with a kind", files: file("{ to: $end }, { on_error: a.b, to: $end }"), lines: [] },
]);

it("counts as the success route that it is", () => {
  const world = memoryWorld({ "main.yaml": file("{ on_error: null, to: $end }, { on_error: a.b, to: $end }") });
  expect(validateWorkflow("/w/main.yaml", world).findings.map(({ rule }) => rule)).toEqual(["on-error-empty"]);
});

it("is refused among the workflow's error_routes, where it would never be read", () => {
  const text = flow("  - { name: a, type: script, command: x }", {
    section: "error_routes: [{ on_error: null, to: a }]",
  });
  const { findings } = validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }));
  expect(findings.map(({ rule }) => rule)).toEqual(["error-kind-format"]);
});
