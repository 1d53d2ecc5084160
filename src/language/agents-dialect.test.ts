// What a file with `agents:` may say because Conductor takes it, and a file with `steps:` may not.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../test/support/engine/memory-run.ts";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { loadWorkflow } from "./load.ts";
import { validateWorkflow } from "./validate.ts";

const found = (text: string) =>
  validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }, { EMPTY: "" })).findings.map(
    ({ rule, severity }) => `${severity} ${rule}`,
  );

/** The same file in both dialects. */
const both = (text: string) => ({ agents: found(text), steps: found(text.replace("agents:\n", "steps:\n")) });

const head = (more = "") => `workflow: { name: w, entry_point: a${more} }\nagents:\n`;
const set = (name: string, more = "") => `  - { name: ${name}, type: set, value: "1"${more} }\n`;

const loops = (first: string, second: string) => `${head()}${set("a", ", routes: [{ to: g }]")}for_each:
  - { name: g, type: for_each, source: "{{ [1] }}", as: it, agent: { name: ${first}, type: set, value: "{{ it }}" }, routes: [{ to: h }] }
  - { name: h, type: for_each, source: "{{ [2] }}", as: it, agent: { name: ${second}, type: set, value: "{{ it * 2 }}" } }
output: { r: "{{ g.outputs[0] }}{{ h.outputs[0] }}." }
`;

describe("names that nothing can refer to", () => {
  it("inline steps of two groups may share one", async () => {
    expect(both(loops("work", "work"))).toEqual({ agents: [], steps: ["error duplicate-name"] });
    expect((await new MemoryRun(loops("work", "work")).drive()).output).toEqual({ r: "14." });
  });

  it("an inline step may be called like a step, but not like a group", () => {
    expect(found(loops("a", "work"))).toEqual([]);
    expect(found(loops("h", "work"))).toContain("error duplicate-name");
  });

  it("a change of either inline step runs it again on a resume", async () => {
    const run = new MemoryRun(loops("work", "work"));
    await run.drive();
    run.edit("it * 2", "it * 3");
    expect((await run.drive()).output).toEqual({ r: "16." });
  });

  it("a step may be called as something that templates read, with a warning", async () => {
    const text = `${head()}${set("a", ", routes: [{ to: context }]")}${set("context", ", routes: [{ to: workflow }]")}${set("workflow")}output: { r: "{{ context.iteration }} {{ workflow.name }}" }\n`;
    expect(both(text)).toEqual({
      agents: ["warning reserved-name", "warning reserved-name"],
      steps: ["error reserved-name", "error reserved-name"],
    });
    expect((await new MemoryRun(text).drive()).output).toEqual({ r: "3 w" });
  });

  it("an option or a member that is listed twice is a warning, and runs once", async () => {
    const gate = `${head()}  - { name: a, type: human_gate, prompt: ok?, options: [{ label: x, value: y, route: $end }, { label: z, value: y, route: $end }] }\n`;
    expect(both(gate)).toEqual({ agents: ["warning duplicate-name"], steps: ["error duplicate-name"] });
    const group = `workflow: { name: w, entry_point: g }\nagents:\n${set("m")}parallel:\n  - { name: g, agents: [m, m] }\noutput: { r: "{{ g.outputs | length }} {{ g.succeeded }}." }\n`;
    expect(both(group)).toEqual({ agents: ["warning duplicate-name"], steps: ["error duplicate-name"] });
    expect((await new MemoryRun(group).drive()).output).toEqual({ r: "1 1." });
  });
});

describe("keys that mean nothing where they stand", () => {
  it.each([
    ["  - { name: a, type: human_gate, model: gpt-5, prompt: ok, options: [{ label: y, value: y, route: $end }] }\n"],
    ['  - { name: a, type: set, value: "1", command: null, prompt: "" }\n'],
    ["  - { name: a, prompt: hi, command: make }\n"],
    [
      "  - { name: a, prompt: hi, retry: { tries: 3 }, reasoning: { depth: 1 }, dialog: { trigger_prompt: x, y: 1 } }\n",
    ],
    ["  - { name: a, type: human_gate, prompt: ok, options: [{ label: y, value: y, route: $end, colour: red }] }\n"],
  ])("are read over: %s", (step) => {
    const { agents, steps } = both(head() + step);
    expect([...new Set(agents)]).toEqual(["warning unsupported-option"]);
    expect(steps).toContain("error unknown-key");
  });

  it("are read over in sections of the workflow that take any key in Conductor", () => {
    const text = head(
      ", limits: { max_timeout: 6 }, context: { modes: x }, cost: { shown: true }, hooks: { on_end: x }",
    );
    expect([...new Set(found(text + set("a")))]).toEqual(["warning unsupported-option"]);
  });

  it("stay errors where Conductor refuses them, and where the step would be another one", () => {
    expect(found(`${head()}  - { name: a, type: set, value: "1", valeu: 2 }\n`)).toEqual(["error unknown-key"]);
    expect(found(`${head()}  - { name: a, command: make }\n`)).toContain("error unknown-key");
  });
});

it.each(["agents", "steps"])("words for true and false, and numbers in quotes, are read in a file with %s", (list) => {
  const text = `workflow: { name: w, entry_point: a, limits: { max_iterations: "20" }, cost: { show_summary: 0 }, input: { q: { type: string, required: no } } }\n${list}:\n  - { name: a, type: set, value: "1", output_type: string }\n`;
  const { workflow, findings } = loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }));
  expect(findings).toEqual([]);
  expect(workflow?.definition.workflow).toMatchObject({
    limits: { max_iterations: 20 },
    cost: { show_summary: false },
    input: { q: { required: false } },
  });
});

it("a variable that is set and empty is empty, and `$${` is no escape", () => {
  const value = (list: string) => {
    const text = `workflow: { name: w, entry_point: a }\n${list}:\n  - { name: a, type: set, value: "[$\{EMPTY:-d}$\{a.b:-e}$$\{A}]" }\n`;
    const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }, { EMPTY: "", A: "x" }));
    return workflow?.definition.agents[0];
  };
  expect(value("agents")).toMatchObject({ value: "[e$x]" });
  expect(value("steps")).toMatchObject({ value: "[d${a.b:-e}${A}]" });
});

it("an empty condition is none, and so is an empty output of a route", async () => {
  const text = `${head()}${set("a", ", routes: [{ to: b, when: }]")}${set("b", ', routes: [{ to: $end, when: "", output: null }]')}output: { r: "{{ b.output }}." }\n`;
  expect(found(text)).toEqual([]);
  expect((await new MemoryRun(text).drive()).output).toEqual({ r: "1." });
  expect(both(text).steps).not.toEqual([]);
});

it.each([
  ["runtime: { provider: { name: openai, bse_url: x } }", "base_url"],
  ["runtime: { checkpoint: { every_agnt: true } }", "every_agent"],
  ["runtime: { tool_output: { max_char: 2000 } }", "max_chars"],
])("a misspelt key is an error where neither dialect takes others: %s", (section, meant) => {
  for (const list of ["agents", "steps"]) {
    const text = `workflow: { name: w, entry_point: a, ${section} }\n${list}:\n${set("a")}`;
    const { findings } = validateWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }));
    expect(findings).toMatchObject([{ rule: "unknown-key", severity: "error", suggestions: [meant] }]);
  }
});

it("`$${` is an escape where the variable is not set, which Conductor refuses", () => {
  const text = `${head()}  - { name: a, type: set, value: "$$\{NOWHERE}" }\n`;
  const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }));
  expect(workflow?.definition.agents[0]).toMatchObject({ value: "${NOWHERE}" });
});

it("a step that ends the workflow has no fields of other types, and they have none of it", () => {
  const ends = `${head()}  - { name: a, type: terminate, status: failed, reason: r`;
  for (const more of [", routes: []", ", prompt: p", ", output: {}"])
    expect(found(`${ends}${more} }\n`)).toEqual(["error unknown-key"]);
  expect(found(`${head()}  - { name: a, type: script, command: x, status: failed }\n`)).toContain("error unknown-key");
});
