// A field of `workflow:` that is wrong is said where it stands, once, and takes nothing else of the block with it.
import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import type { Finding } from "./loaded.ts";
import { validateWorkflow } from "./validate.ts";

const STEPS = `
steps:
  - { name: b1, type: set, value: 1, phase: build, routes: [{ to: s1 }] }
  - { name: s1, type: set, value: 2, phase: ship }
`;
const findingsOf = (fields: Record<string, string>): readonly Finding[] => {
  const lines = Object.entries({ name: "w", entry_point: "b1", phases: "[build, ship]", ...fields });
  const text = `workflow:\n${lines.map(([key, value]) => `  ${key}: ${value}`).join("\n")}${STEPS}`;
  return validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text })).findings;
};

describe("only the real error is said, at its place", () => {
  it.each<[field: string, value: string, column: number, sentence: string]>([
    ["policies", "[{ nope: 1 }]", 16, "`nope` is not a field of `workflow.policies[0]`"],
    ["policies", "[{ max_concurrent_tasks: 0 }]", 38, "must be a whole number, 1 or more, or a mapping with `max`"],
    ["policies", "[{ phase_gate: 1.5 }]", 28, "must be a number from 0 to 1, or a mapping with `min_success_rate`"],
    ["policies", "[{ task_timeout: soon }]", 30, "must be seconds or a duration such as 30m, or a mapping"],
    ["policies", "[{ budget: -1 }]", 24, "must be a number above 0, or a mapping with `usd`"],
    ["policies", "[{ module: 5 }]", 24, "must be text"],
    ["policies", "[{}]", 14, "names exactly one policy"],
    ["policies", "[{ budget: 1, task_timeout: 5 }]", 14, "names exactly one policy"],
    ["policies", "[5]", 14, "must be a mapping with one policy, but it is the number 5"],
    ["policies", "[null]", 14, "must be a mapping with one policy"],
    ["policies", "5", 13, "must be a list"],
    ["phases", "5", 11, "must be a list of texts"],
    ["phases", "[5, ship]", 12, "must be text"],
    ["phases", "{ build: 1 }", 11, "must be a list of texts"],
    ["limits", "5", 11, "must be a mapping"],
    ["limits", "{ max_iterations: 0 }", 29, "must be a whole number from 1 to 100000"],
    ["limits", "{ nope: 1 }", 13, "is not a field of `workflow.limits`"],
    ["context", "{ mode: all }", 20, "must be one of accumulate"],
    ["cost", "{ pricing: { m: 5 } }", 25, "must be a mapping"],
    ["hooks", "{ on_start: 5 }", 22, "must be text, or a mapping with `command`"],
    ["resilience", "{ retry: { jitter: 5 } }", 34, "must be a fraction from 0 to 1"],
    ["resilience", "{ escalate: {} }", 27, "needs either a `command`"],
    ["resilience", "{ escalate: { comand: x } }", 29, "Did you mean `command`?"],
    ["resilience", "[]", 15, "must be a mapping"],
    ["runtime", "{ mcp_servers: { a: 5 } }", 32, "must be a mapping with `command` or `url`"],
    ["runtime", "{ durability: x }", 26, "must be one of process"],
    ["input", "{ a: 5 }", 15, "must be a mapping with `type`"],
    ["input", "{ a: { type: txt } }", 23, "must be one of string"],
    ["input", "[]", 10, "must be a mapping"],
    ["metadata", "5", 13, "must be a mapping"],
    ["instructions", "[5]", 18, "must be text"],
    ["error_routes", "[{ on_error: 5, to: b1 }]", 30, "must be a kind"],
    ["entry_point", "[]", 16, "must be text that is not empty"],
    ["description", "[]", 16, "must be text"],
  ])("%s: %s", (field, value, column, sentence) => {
    const findings = findingsOf({ [field]: value });
    expect(findings).toMatchObject([
      { severity: "error", location: { column }, message: expect.stringContaining(sentence) },
    ]);
  });

  it("also where a key is misspelt: what it says is not known", () => {
    const text = `workflow: { name: w, entry_point: b1, phsaes: [build, ship] }${STEPS}`;
    const { findings } = validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }));
    expect(findings).toMatchObject([{ rule: "unknown-key", suggestions: ["phases"] }]);
  });

  it("while an error beside it is still said", () => {
    const wrong = { policies: "[{ nope: 1 }, { phase_gate: 2 }]", limits: "{ max_iterations: 0 }", entry_point: "b2" };
    expect(findingsOf(wrong).map(({ rule }) => rule)).toEqual([
      "unknown-step",
      "unknown-key",
      "wrong-type",
      "wrong-type",
    ]);
  });
});
