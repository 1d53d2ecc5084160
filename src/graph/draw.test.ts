import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { loadWorkflow } from "../language/load.ts";
import { draw } from "./draw.ts";
import { edgesBelow, itemsBelow } from "./picture.ts";
import { svg } from "./svg/index.ts";

/** Boxes with what is in them, and edges as text. */
function drawn(text: string) {
  const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "/w/main.yaml": text }));
  if (!workflow) throw new Error("it does not load");
  const picture = draw(workflow);
  const boxes = itemsBelow(picture.items).flatMap((item) =>
    item.kind === "box" ? [[item.id, item.items.map(({ id }) => id)] as const] : [],
  );
  return {
    boxes: Object.fromEntries(boxes),
    edges: edgesBelow(picture).map(({ from, to, on }) => `${from} ${on === "error" ? "~>" : "->"} ${to}`),
  };
}

const pair = (routes: string, more = ""): string => `
workflow: { name: case, entry_point: both }
agents:
  - { name: one, type: script, command: x, raises: [a.b], routes: [${routes}] }
  - { name: two, type: set, value: "1" }
  - { name: fix, type: script, command: x, raises: [a.b], routes: [{ to: later }, { on_error: a.b, retry: 1 }, { on_error: true, to: later }] }
  - { name: later, type: set, value: "1" }
parallel: [{ name: both, agents: [one, two], routes: [{ to: later }${more}] }]
`;

describe("the handler of a group's member", () => {
  it("stands inside the group, and leads nowhere but to its own retry", () => {
    const { boxes, edges } = drawn(pair("{ on_error: a.b, to: fix }"));
    expect(boxes).toEqual({ both: ["one", "two", "fix"] });
    expect(edges).toEqual(["$start -> both", "one ~> fix", "fix ~> fix", "later -> $end", "both -> later"]);
  });

  it("stands outside, with all its routes, when something else leads to it as well", () => {
    const { boxes, edges } = drawn(pair("{ on_error: a.b, to: fix }", ", { on_error: true, to: fix }"));
    expect(boxes).toEqual({ both: ["one", "two"] });
    expect(edges).toEqual(expect.arrayContaining(["fix -> later", "fix ~> later", "fix ~> fix"]));
  });

  it("may be the member's own end, which is not the workflow's", () => {
    const { boxes, edges } = drawn(pair("{ on_error: a.b, to: $end }"));
    expect(boxes).toEqual({ both: ["one", "two", "both/$end"] });
    expect(edges).toContain("one ~> both/$end");
    expect(edges).not.toContain("one ~> $end");
  });
});

describe("a step of somebody's own type", () => {
  it("is drawn with its type, also where nobody knows the plugin", () => {
    const text = "workflow: { name: own, entry_point: say }\nagents: [{ name: say, type: shout, text: hello }]\n";
    const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "/w/main.yaml": text }));
    const items = workflow ? draw(workflow).items : [];
    expect(items.find(({ id }) => id === "say")).toMatchObject({ detail: "shout" });
  });
});

describe("an error route to a far handler", () => {
  const steps = Array.from({ length: 12 }, (_, index) => {
    const to = index < 11 ? `s${index + 1}` : "$end";
    return `  - { name: s${index}, type: script, command: x, raises: [a.b], routes: [{ to: ${to} }, { on_error: a.b, to: fix }] }`;
  });
  const text = `workflow: { name: far, entry_point: s0 }\nagents:\n${steps.join("\n")}\n  - { name: fix, type: set, value: "1" }\n`;

  it("goes around the steps between with rounded corners, each a bend that begins before the corner", () => {
    const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "/w/main.yaml": text }));
    const [, way = ""] =
      /<path class="line hidden-way" d="([^"]*)"/.exec(workflow ? svg(draw(workflow), null) : "") ?? [];
    const corners = [...way.matchAll(/L(\S+ [\d.]+)Q(\S+ \S+) (\S+ [\d.]+)/g)];
    expect(corners.length).toBeGreaterThan(1);
    for (const [, before, corner, after] of corners) expect(new Set([before, corner, after]).size).toBe(3);
  });
});
