import { expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { flow, ruleCases } from "../../../test/support/rule-cases.ts";
import { compileCondition, render } from "../../template/index.ts";
import { validateWorkflow } from "../validate.ts";

const named = (name: string): string =>
  flow(`  - { name: ${JSON.stringify(name)}, type: set, value: x }`, { entry: JSON.stringify(name) });

ruleCases("name-not-in-templates", [
  { name: "finds a dash", files: named("my-step"), lines: [3], suggests: "my_step", message: /minus/ },
  { name: "finds a space", files: named("my step"), lines: [3], suggests: "my_step" },
  { name: "finds a digit in front", files: named("2nd"), lines: [3], suggests: "_2nd" },
  { name: "finds a word of the language", files: named("not"), lines: [3], suggests: "not_step" },
  { name: "finds a constant of the language", files: named("none"), lines: [3], suggests: "none_step" },
  { name: "is content with letters, digits and underscores", files: named("step_2"), lines: [] },
  { name: "is content with letters of any script", files: named("prüfung"), lines: [] },
  {
    name: "is content with members, which are read through their group",
    files: flow(
      `
  - { name: a-1, type: set, value: x }
  - { name: b-1, type: set, value: x }`,
      { entry: "g", more: "parallel: [{ name: g, agents: [a-1, b-1] }]\n" },
    ),
    lines: [],
  },
  {
    name: "is content with a terminate step, which nothing reads",
    files: flow("  - { name: give-up, type: terminate, status: failed, reason: r }", { entry: "give-up" }),
    lines: [],
  },
]);

it.each(["loop", "self", "super", "caller", "kwargs", "for", "if", "in", "recursive"])(
  "is content with a step called %s, which templates and conditions read",
  (name) => {
    const text = flow(
      `
  - { name: ${name}, type: set, value: { v: 1 }, routes: [{ to: b, when: "${name}.output.v == 1" }, { to: $end }] }
  - { name: b, type: set, value: "{{ ${name}.output.v }}" }`,
      { entry: name },
    );
    expect(validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text })).findings).toEqual([]);
    const names = { [name]: { output: { v: 1 } } };
    expect(render(`{{ ${name}.output.v }}`, names)).toBe("1");
    expect(compileCondition(`${name}.output.v == 1`).test(names)).toBe(true);
  },
);

it("tells who reads such a step what is wrong, and how to rename it", () => {
  const text = flow(
    `
  - { name: my-step, type: script, command: x, routes: [{ to: b }] }
  - { name: b, type: set, value: "{{ my-step.output.v }}" }`,
    { entry: "my-step" },
  );
  const { findings } = validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }));
  expect(findings.filter(({ severity }) => severity === "error").map(({ message }) => message)).toEqual([
    expect.stringMatching(/`my-step`.*`my_step`/),
  ]);
});
