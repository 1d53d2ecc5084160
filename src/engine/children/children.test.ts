// Sub-workflows: contexts of their own, errors that cross into the parent, depth, and reuse across files.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises } from "../../../test/support/engine/scripted-world.ts";

const PARENT = `
workflow: { name: parent, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, input_mapping: { n: "{{ 1 }}" }, routes: [{ to: after }, { on_error: app.bad, to: mend }] }
  - { name: mend, type: script, command: mend, routes: [{ to: after }] }
  - { name: after, type: script, command: after, routes: [{ to: $end }] }
output: { child: "{{ call.output.got if call.output is defined else none }}", by: "{{ call.error.raised_at.node if call.error is defined else none }}" }
`;
const CHILD = `
workflow: { name: child, entry_point: first, input: { n: { type: number } } }
agents:
  - { name: first, type: script, command: first, args: ["{{ workflow.input.n }}"], routes: [{ to: second }] }
  - { name: second, type: script, command: second, routes: [{ to: $end }] }
output: { got: "{{ second.output.stdout }}" }
`;
const FILES = { "main.yaml": PARENT, "child.yaml": CHILD };
const BAD = raises("app.bad");

describe("a child", () => {
  it("gives its output to the step that called it", async () => {
    const { output, ran } = await new MemoryRun(FILES).drive({ scripts: { second: ["two"] } });
    expect(output).toEqual({ child: "two", by: null });
    expect(ran).toEqual(["call#1/first#1", "call#1/second#1", "after#1"]);
  });

  it("leaves its error to the parent's routes, which see where it was raised", async () => {
    const { output, ran, recorded } = await new MemoryRun(FILES).drive({ scripts: { second: [BAD] } });
    expect(ran).toEqual(["call#1/first#1", "call#1/second#1", "mend#1", "after#1"]);
    expect(output).toEqual({ child: null, by: "second" });
    expect(recorded("subworkflow_failed")).toMatchObject([{ error: { kind: "app.bad" } }]);
  });

  it("goes on where it failed when the run is resumed", async () => {
    const run = new MemoryRun(FILES);
    await run.drive({ scripts: { second: [raises("app.other")] } });
    expect(await run.drive({ scripts: { second: ["two"] } })).toMatchObject({
      ran: ["call#1/second#1", "after#1"],
      output: { child: "two" },
    });
  });

  it("whose error was handled is not run again because its parent was edited", async () => {
    const run = new MemoryRun(FILES);
    await run.drive({ scripts: { second: [BAD], after: [raises("app.late")] } });
    run.edit("command: after", "command: after2");
    expect((await run.drive({ scripts: { second: [BAD] } })).ran).toEqual(["after#1"]);
  });

  it("whose own file was edited runs again what is another step now", async () => {
    const run = new MemoryRun(FILES);
    await run.drive({ scripts: { after: [raises("app.late")] } });
    run.edit("command: second", "command: second2", "child.yaml");
    expect((await run.drive()).ran).toEqual(["call#1/second#1", "after#1"]);
  });

  it("is a new one when its step is retried", async () => {
    const retried = PARENT.replace(
      "{ on_error: app.bad, to: mend }",
      "{ on_error: app.bad, retry: { max: 1, initial_seconds: 1 } }",
    );
    const { ran } = await new MemoryRun({ ...FILES, "main.yaml": retried }).drive({
      scripts: { second: [BAD, "two"] },
    });
    expect(ran).toEqual(["call#1/first#1", "call#1/second#1", "call#1~2/first#1", "call#1~2/second#1", "after#1"]);
  });

  it("that lacks an input fails in a way that the parent can route", async () => {
    const lacking = PARENT.replace('input_mapping: { n: "{{ 1 }}" }', 'input_mapping: { n: "{{ none }}" }').replace(
      "on_error: app.bad",
      "on_error: subworkflow.failed",
    );
    const { ran, recorded } = await new MemoryRun({ ...FILES, "main.yaml": lacking }).drive();
    expect(ran).toEqual(["mend#1", "after#1"]);
    expect(recorded("error_raised")[0]?.error).toMatchObject({ details: { error_type: "InputValidation" } });
  });

  it("that halts ends the whole run, whatever the parent's routes say", async () => {
    const halting = CHILD.replace(
      "routes: [{ to: $end }]",
      "routes: [{ to: $end }, { on_error: true, halt: { message: stop it } }]",
    );
    const { end, ran } = await new MemoryRun({ ...FILES, "child.yaml": halting }).drive({ scripts: { second: [BAD] } });
    expect(end).toMatchObject({ type: "halted", node: "second", path: ["call"], error: { message: "stop it" } });
    expect(ran).not.toContain("mend#1");
  });
});

const SELF = (depth: string): string => `
workflow: { name: self, entry_point: work, error_routes: [] }
agents:
  - { name: work, type: script, command: work, routes: [{ to: again }] }
  - { name: again, type: workflow, workflow: main.yaml${depth}, routes: [{ to: $end }] }
`;

describe("max_depth", () => {
  it("ends a workflow that calls itself", async () => {
    const { end, ran } = await new MemoryRun(SELF(", max_depth: 3")).drive();
    expect(ran).toHaveLength(4);
    expect(end).toMatchObject({
      type: "raised",
      error: { kind: "subworkflow.failed", details: { error_type: "MaxDepthError" } },
    });
  });

  it("is ten when nothing is said", async () => {
    expect((await new MemoryRun(SELF("")).drive()).ran).toHaveLength(11);
  });

  it("holds for calls that go through a for_each", async () => {
    const through = `
workflow: { name: self, entry_point: work }
agents:
  - { name: work, type: script, command: work, routes: [{ to: each }] }
for_each:
  - { name: each, type: for_each, source: "{{ [1] }}", as: x, agent: { name: again, type: workflow, workflow: main.yaml, max_depth: 2 }, routes: [{ to: $end }] }
`;
    const { end, ran } = await new MemoryRun(through).drive();
    expect(ran).toHaveLength(3);
    expect(end).toMatchObject({ error: { details: { error_type: "MaxDepthError" } } });
  });
});

describe("inputs that a child declares", () => {
  const mapped = (type: string, value: string): Record<string, string> => ({
    "main.yaml": `
workflow: { name: parent, entry_point: code }
agents:
  - { name: code, type: set, values: { n: "{{ '0012' | string }}", xs: [1] }, routes: [{ to: call }] }
  - { name: call, type: workflow, workflow: child.yaml, input_mapping: { x: ${value} } }
output: { x: "{{ call.output.x }}" }
`,
    "child.yaml": `
workflow: { name: child, entry_point: only, input: { x: { type: ${type} } } }
agents: [{ name: only, type: set, value: a }]
output: { x: "{{ workflow.input.x }}" }
`,
  });

  it.each([
    ["string", `"{{ '42' | trim }}"`, "42"],
    ["string", `"{{ code.output.xs | tojson }}"`, "[1]"],
    ["string", "42", "42"],
    ["number", `"{{ code.output.n }}"`, 12],
    ["number", `"1.10"`, 1.1],
    ["boolean", `"{{ 'yes' }}"`, true],
  ])("a %s: %s is %j", async (type, value, expected) => {
    expect((await new MemoryRun(mapped(type, value)).drive()).output).toEqual({ x: expected });
  });

  it("say how a value is kept that does not fit", async () => {
    const { end } = await new MemoryRun(mapped("string", `"{{ code.output.xs }}"`)).drive();
    expect(end).toMatchObject({
      error: {
        message: expect.stringContaining(
          "must be a string, and [1] is an array. Give its text: in a template, `| tojson` makes it.",
        ),
      },
    });
  });
});
