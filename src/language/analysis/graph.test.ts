import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { flow } from "../../../test/support/rule-cases.ts";
import { loadWorkflow } from "../load.ts";
import { flowMapOf, type Graph } from "./graph.ts";

function graphOf(text: string): Graph {
  const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }));
  if (!workflow) throw new Error("the file does not load");
  return flowMapOf(workflow).graph;
}

describe("what can have run before", () => {
  const loop = graphOf(
    flow(`
  - { name: a, type: script, command: x, routes: [{ to: b, when: exit_code == 0 }, { to: c }] }
  - { name: b, type: script, command: x, routes: [{ to: c }] }
  - { name: c, type: script, command: x, routes: [{ to: a, when: exit_code == 1 }, { to: $end }] }`),
  );

  it("does not count what only a second time around would have run", () => {
    expect(loop.canPrecede("c", "a")).toBe(false);
    expect(loop.canPrecede("a", "c")).toBe(true);
    expect(loop.canPrecede("b", "c")).toBe(true);
  });

  it("tells what must have run from what may", () => {
    expect(loop.needs("c", "a")).toBe(true);
    expect(loop.needs("c", "b")).toBe(false);
    expect(loop.endsWithout(["b"])).toBe(true);
    expect(loop.endsWithout(["c"])).toBe(false);
  });
});

describe("groups", () => {
  const group = graphOf(
    flow(
      `
  - { name: a, type: script, command: x, routes: [{ to: g }] }
  - { name: m1, type: script, command: x, routes: [{ on_error: true, to: h }] }
  - { name: m2, type: script, command: x }
  - { name: h, type: script, command: x, routes: [{ to: never }] }
  - { name: never, type: set, value: "1" }
  - { name: z, type: set, value: "1" }`,
      { more: "parallel: [{ name: g, agents: [m1, m2], routes: [{ to: z }] }]\n" },
    ),
  );

  it("run their members and those who stand in for them, who do not go on from there", () => {
    expect([...group.reachable].sort()).toEqual(["$end", "a", "g", "h", "m1", "m2", "z"]);
    expect(group.onlyStandsIn("h")).toBe(true);
    expect(group.onlyMember("m1")).toBe(true);
  });

  it("show their members what was there when they started", () => {
    expect(group.canPrecede("a", "m1")).toBe(true);
    expect(group.canPrecede("m2", "m1")).toBe(false);
    expect(group.canPrecede("g", "m1")).toBe(false);
    expect(group.canPrecede("m1", "h")).toBe(true);
    expect(group.canPrecede("g", "z")).toBe(true);
  });
});
