import { describe, expect, it } from "vitest";
import { worldOf } from "./rules/rule-cases.ts";
import { validateWorkflow } from "./validate.ts";

const findings = (step: string) => {
  const text = `workflow: { name: case, entry_point: a }\nagents:\n  - ${step}\n`;
  return validateWorkflow("/w/main.yaml", worldOf({ "main.yaml": text })).findings;
};

describe("a step in the words of another tool", () => {
  it.each([
    ["{ name: a, run: npm test }", "type: script, command: npm, args: [test]"],
    ["{ name: a, run: make, shell: bash, if: always() }", "type: script, command: make"],
    [
      "{ name: a, type: script, run: npm ci && npm test }",
      'type: script, command: sh, args: [-c, "npm ci && npm test"]',
    ],
    ["{ name: a, uses: actions/checkout@v4, with: { depth: 1 } }", "type: script, command: …"],
    ["{ name: a, uses: ./other.yaml }", "type: workflow, workflow: ./other.yaml"],
  ])("%s is told how to say it here, once", (step, suggestion) => {
    const found = findings(step);
    expect(found).toMatchObject([
      { rule: "foreign-step", severity: "error", node: "a", location: { line: 3 }, suggestions: [suggestion] },
    ]);
    expect(found[0]?.message).toMatch(/type: (?:script|workflow)/);
  });

  it("leaves steps with fields of their own alone", () => {
    expect(findings("{ name: a, type: script, command: make }")).toEqual([]);
  });
});
