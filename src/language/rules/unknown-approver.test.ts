import { expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { flow, ruleCases } from "../../../test/support/rule-cases.ts";
import { validateWorkflow } from "../validate.ts";

const gate = (approvers: string): string =>
  flow(`
  - name: a
    type: human_gate
    prompt: Ship it?
    options: [{ value: "yes", route: $end }]
    approvers: ${approvers}`);

ruleCases("unknown-approver", [
  {
    name: "finds somebody whom no project knows",
    files: gate('[alex, "@release"]'),
    lines: [7, 7],
    message: /segno\.yaml/,
  },
  { name: "takes a user and host", files: gate("[alex@box]"), lines: [] },
]);

it("knows the people and groups of the project, and names the nearest", () => {
  const found = (approvers: string) =>
    validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": gate(approvers) }), {
      people: { people: ["alex"], groups: ["release"] },
    }).findings;
  expect(found('[alex, "@release"]')).toEqual([]);
  expect(found("[alx]")).toMatchObject([{ rule: "unknown-approver", suggestions: ["alex"] }]);
});
