import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { ownStepType } from "../services/own-steps/own-step-type.ts";
import { validateWorkflow } from "./validate.ts";

const findings = (step: string) => {
  const text = `workflow: { name: case, entry_point: a }\nagents:\n  - ${step}\n`;
  return validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text })).findings;
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
    expect(findings("{ name: a, type: script, command: make, raises: [] }")).toEqual([]);
  });
});

describe("a step of a type of one's own", () => {
  const own = (fields: string) => {
    const text = `workflow: { name: case, entry_point: größe }
agents:
  - { name: größe, type: set, value: 1, routes: [{ to: a }] }
  - { name: a, type: shout, ${fields} }
`;
    const schema = { type: "object", properties: { text: { type: "string" }, more: { type: "object" } } };
    const shout = ownStepType({
      type: "shout",
      description: "",
      version: 1,
      schema,
      execute: () => ({ ok: true, output: 1 }),
    });
    return validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }), { stepTypes: { shout } }).findings;
  };

  it.each([
    ['text: "{{ foo + }}"', "template-syntax"],
    ['text: "{{ x | nofilter }}"', "template-syntax"],
    ['more: { deep: ["{{ nope.output }}"] }', "unknown-reference"],
  ])("has its templates checked: %s", (fields, rule) => {
    expect(own(fields).map((found) => [found.rule, found.node])).toEqual([[rule, "a"]]);
  });

  it("may read what is there, also by a name of other letters", () => {
    expect(own('text: "{{ größe.output }}"')).toEqual([]);
  });
});
