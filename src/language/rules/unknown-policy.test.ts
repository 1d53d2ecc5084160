import { expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { flow, ruleCases } from "../../../test/support/rule-cases.ts";
import { validateWorkflow } from "../validate.ts";

const file = flow("  - { name: a, type: set, value: '1' }", { section: "policies: [{ policy: weekday }]" });

ruleCases("unknown-policy", [
  { name: "finds a policy that nobody brings", files: file, lines: [1], message: /No plugin brings one/ },
  {
    name: "has nothing to say about policies that Segno has",
    files: flow("  - { name: a, type: set, value: '1' }", { section: "policies: [{ budget: { usd: 5 } }]" }),
    lines: [],
  },
]);

it("knows what plugins bring, and names the nearest", () => {
  const found = (policies: readonly string[]) =>
    validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": file }), { policies }).findings;
  expect(found(["weekday"])).toEqual([]);
  expect(found(["weekdays"])).toMatchObject([{ rule: "unknown-policy", suggestions: ["weekdays"] }]);
});
