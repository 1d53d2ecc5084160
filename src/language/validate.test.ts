import { describe, expect, it, vi } from "vitest";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { RULES } from "./rules/index.ts";
import type { Rule } from "./rules/rule.ts";
import { validateWorkflow } from "./validate.ts";

const validate = (files: Record<string, string> | string, asChild = false) =>
  validateWorkflow("/w/main.yaml", memoryWorld(typeof files === "string" ? { "main.yaml": files } : files), {
    asChild,
  });

const rules = (files: Record<string, string> | string) =>
  validate(files).findings.map((one) => `${one.rule} ${one.location.line}`);

describe("form and meaning come at once", () => {
  it("in the order of the file", () => {
    expect(
      rules(`workflow: { name: t, entry_point: a }
agents:
  - name: a
    type: script
    command: x
    tmeout: 5
    routes:
      - { to: nowhere }
      - { on_error: bad, to: b }
  - { name: b, type: set, value: "{{ 1 + }}" }
`),
    ).toEqual(["unknown-key 6", "unknown-step 8", "error-kind-format 9", "template-syntax 10"]);
  });

  it("and a file with two lists of steps is told only that", () => {
    expect(
      rules(`workflow: { name: t, entry_point: a }
steps: [{ name: a, type: set, value: 1, routes: [{ to: b }] }]
agents: [{ name: b, type: set, value: "{{ a.output }}" }]
`),
    ).toEqual(["two-dialects 3"]);
  });

  it("and rules have nothing to say about what only stands in", () => {
    expect(
      rules(`workflow: { name: t, entry_point: a }
agents:
  - name: a
    type: script
    command: x
    raises: []
    routes: [b]
  - { name: b, type: nothing_like_it }
  - { type: set, value: 1 }
  - { name: c, type: human_gate, prompt: "?", options: [] }
`),
    ).toEqual(["wrong-type 7", "wrong-type 8", "missing-key 9", "wrong-type 10"]);
  });

  it("a step with a broken field is still a step that routes may name", () => {
    expect(
      rules(`workflow: { name: t, entry_point: a }
agents:
  - { name: a, type: set, value: 1, routes: [{ to: b }] }
  - { name: b, type: script, comand: x }
`),
    ).toEqual(["unknown-key 4"]);
  });
});

describe("files that are called", () => {
  const files = {
    "main.yaml":
      "workflow: { name: top, entry_point: c }\nagents:\n  - { name: c, type: workflow, workflow: sub/child.yaml, routes: [{ to: d }] }\n  - { name: d, type: workflow, workflow: sub/child.yaml }\n",
    "sub/child.yaml":
      "workflow: { name: child, entry_point: a }\nagents:\n  - { name: a, type: script, command: x, nope: 1, routes: [{ to: nope }, { on_error: true, propagate: true }] }\n",
  };

  it("are checked once, with the steps that lead there", () => {
    const found = validate(files).findings.filter((one) => one.severity === "error");
    expect(found).toMatchObject([
      { rule: "unknown-key", location: { file: "/w/sub/child.yaml", line: 3 }, via: ["c"] },
      { rule: "unknown-step", location: { file: "/w/sub/child.yaml", line: 3 }, via: ["c"] },
    ]);
  });

  it("may let errors out; a root file that does is warned about, unless it is only ever called", () => {
    const child = { "main.yaml": files["sub/child.yaml"].replace("nope: 1, ", "").replace("to: nope", "to: $end") };
    expect(rules(child)).toEqual(["propagate-at-root 3"]);
    expect(validate(child, true).findings).toEqual([]);
  });
});

it("a defect in one rule does not silence the others", () => {
  const [first] = RULES;
  const broken = vi.spyOn(first as Rule, "check").mockImplementation(() => {
    throw new Error("oops");
  });
  const found = validate(
    'workflow: { name: t, entry_point: a }\nagents: [{ name: a, type: set, value: "{{ 1 + }}" }]\n',
  ).findings;
  broken.mockRestore();
  expect(found.map((one) => one.rule).sort()).toEqual(["internal", "template-syntax"]);
});

it("gives the sources also when there is no workflow", () => {
  const { workflow, sources } = validate("- a\n");
  expect(workflow).toBeUndefined();
  expect([...sources.keys()]).toEqual(["/w/main.yaml"]);
});

it("says why plugins are not loaded where one of them may have the type or the provider", () => {
  const text = `workflow: { name: t, entry_point: a }
agents:
  - { name: a, type: shuot_aloud, routes: [{ to: b }] }
  - { name: b, prompt: hi, provider: parrot, routes: [{ to: c }] }
  - { name: c, type: scirpt, command: x, raises: [] }
`;
  const missingPlugins = "The plugins are not loaded.";
  const told = validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }), { missingPlugins }).findings;
  expect(told.map(({ message }) => message.endsWith(` ${missingPlugins}`))).toEqual([true, true, false]);
});
