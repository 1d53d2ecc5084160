import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { type LoadOptions, loadWorkflow } from "../load.ts";
import { SEMANTICS, semanticsOf } from "./semantics.ts";

const HEAD = "workflow: { name: w, entry_point: a }\n";
const STEP = "  - { name: a, type: workflow, workflow: child.yaml }\n";

function loaded(files: Readonly<Record<string, string>>, options?: LoadOptions) {
  const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld(files), options);
  if (!workflow) throw new Error("not loaded");
  return workflow;
}

describe("the dialect of a file", () => {
  it.each([
    ["agents:", `${HEAD}agents:\n${STEP}`, "agents"],
    ["steps:", `${HEAD}steps:\n${STEP}`, "steps"],
    ["neither", `${HEAD}parallel: []\n`, "steps"],
    ["an empty agents:", `${HEAD}agents: []\n`, "agents"],
  ] as const)("%s", (_, text, dialect) => {
    const workflow = loaded({ "main.yaml": text });
    expect(workflow.dialect).toBe(dialect);
    expect(workflow.definition.semantics).toBe(SEMANTICS[dialect]);
  });

  it("is a child's own", () => {
    const child = `${HEAD}agents: [{ name: a, type: set, value: 1 }]\n`;
    const workflow = loaded({ "main.yaml": `${HEAD}steps:\n${STEP}`, "child.yaml": child });
    expect([...workflow.children.values()].map(({ dialect }) => dialect)).toEqual(["agents"]);
    expect([...workflow.children.values()].map(({ definition }) => definition.semantics)).toEqual([SEMANTICS.agents]);
  });

  it("reads the same with and without schemas", () => {
    const files = { "main.yaml": `${HEAD}steps:\n${STEP}` };
    const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld(files, { SEGNO_QUICK: "off" }));
    expect(workflow?.definition.semantics).toBe(SEMANTICS.steps);
  });
});

describe("what a run recorded of its rules", () => {
  const files = { "main.yaml": `${HEAD}steps:\n${STEP}` };

  it("counts instead of what files mean now", () => {
    const recorded = { agents: SEMANTICS.agents, steps: { ...SEMANTICS.steps, failsOnExitCode: false } };
    const { semantics } = loaded(files, { semantics: recorded }).definition;
    expect(semantics).toEqual({ ...SEMANTICS.steps, failsOnExitCode: false });
  });

  it("is nothing in runs of 0.3, where both dialects meant the same", () => {
    expect(loaded(files, { semantics: {} }).definition.semantics).toEqual(semanticsOf("agents", {}));
    expect(semanticsOf("steps", {})).toMatchObject({ failsOnExitCode: false, failsOnSchemaViolation: false });
  });
});
