import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { loadWorkflow } from "../language/load.ts";
import { layOutPicture } from "./arrange/lay-out-picture.ts";
import { dot } from "./dot.ts";
import { draw } from "./draw.ts";
import { mermaid } from "./mermaid.ts";
import type { Picture, PictureEdge, PictureNode } from "./picture.ts";
import { svg } from "./svg/index.ts";

const node = (id: string): PictureNode => ({
  kind: "node",
  id,
  name: id,
  detail: "script",
  shape: "step",
  tooltip: null,
});

const edge = (from: string, to: string, on: PictureEdge["on"]): PictureEdge => ({
  from,
  to,
  on,
  isConditional: false,
  isRetry: false,
  label: on === "error" ? ["external.timeout"] : [],
  route: `${from} ${to} ${on}`,
});

/** Columns of steps below one start, each step with an error route to one of the handlers at the very end. */
function withFarHandlers(columns: number, rows: number, handlers: number): Picture {
  const items = [node("start"), ...Array.from({ length: handlers }, (_, index) => node(`handler${index}`))];
  const edges: PictureEdge[] = [];
  for (let column = 0; column < columns; column++)
    for (let row = 0; row < rows; row++) {
      const id = `s${column}_${row}`;
      items.push(node(id));
      edges.push(edge(row === 0 ? "start" : `s${column}_${row - 1}`, id, "success"));
      edges.push(edge(id, `handler${column % handlers}`, "error"));
    }
  return { title: "far", items, edges };
}

// Tests share their machine: alone, each takes a few seconds at most.
describe("a large picture", () => {
  it("of 513 nodes with far handlers is ready soon and not too wide", () => {
    const picture = withFarHandlers(8, 63, 8);
    expect(picture.items).toHaveLength(513);
    // It takes 0.3 s.
    expect(layOutPicture(picture).width).toBeLessThan(6_130);
  });

  it.each([
    ["2 000 nodes in a row", withFarHandlers(2_000, 1, 4)],
    ["2 000 nodes in columns", withFarHandlers(20, 100, 4)],
    ["a chain of 6 000", withFarHandlers(1, 6_000, 1)],
  ])("of %s is drawn in every format", (_, picture) => {
    expect(svg(picture, null)).toMatch(/<\/svg>\n$/);
    expect(mermaid(picture, null)).toContain("flowchart");
    expect(dot(picture, null)).toContain("digraph");
  });

  it("of a file with a chain of 6 000 steps is drawn", () => {
    const steps = Array.from({ length: 6_000 }, (_, index) => {
      const to = index < 5_999 ? `s${index + 1}` : "$end";
      return `  - { name: s${index}, type: set, value: "1", routes: [{ to: ${to} }] }`;
    });
    const text = `workflow: { name: long, entry_point: s0 }\nagents:\n${steps.join("\n")}\n`;
    const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "/w/main.yaml": text }));
    if (!workflow) throw new Error("it does not load");
    expect(draw(workflow).items).toHaveLength(6_002);
  });
});

describe("a long error edge", () => {
  const layout = layOutPicture(withFarHandlers(1, 12, 1));
  const errors = layout.edges.filter(({ kind }) => kind === "error");

  it("is a stub that says where it leads, and knows its whole way", () => {
    const [first] = errors;
    expect(first?.stub).not.toBeNull();
    expect(first?.label?.lines).toEqual(["external.timeout", "→ handler0"]);
    const target = layout.nodes.find(({ id }) => id === "handler0");
    expect(first?.points.at(-1)?.y).toBeCloseTo(target?.y ?? Number.NaN);
    expect(first?.stub?.[0]).toEqual(first?.points[0]);
    for (const { x } of first?.points ?? []) expect(x).toBeLessThanOrEqual(layout.width);
  });

  it("is drawn whole where its handler is near", () => {
    expect(errors.at(-1)).toMatchObject({ stub: null, label: { lines: ["external.timeout"] } });
  });
});
