import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { loadWorkflow } from "../../language/load.ts";
import { draw } from "../draw.ts";
import type { Lights, NodeLight } from "../lights.ts";
import { svg } from "./index.ts";

const load = (text: string) => {
  const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "/w/main.yaml": text }));
  if (!workflow) throw new Error("it does not load");
  return workflow;
};

const EXAMPLES = readdirSync("examples")
  .filter((name) => name.endsWith(".yaml") && name !== "release.yaml")
  .map((name) => [name, readFileSync(`examples/${name}`, "utf8")] as const);

const SHIP = `
workflow: { name: ship, entry_point: a }
agents:
  - { name: a, type: script, command: x, raises: [a.b], routes: [{ to: each }, { on_error: a.b, to: sorry }, { on_error: true, retry: 3 }] }
  - { name: done, type: terminate, status: success, reason: "all <well>" }
  - { name: sorry, type: terminate, status: failed, reason: "not found" }
for_each:
  - { name: each, type: for_each, source: a.output.xs, as: x, agent: { name: w, type: set, value: "1" }, routes: [{ to: done }] }
`;

/** The points that a path goes through, control points included, from its absolute commands. */
const pointsOf = (d: string): readonly (readonly [number, number])[] =>
  [...d.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);

describe("an arrowhead", () => {
  it.each([...EXAMPLES, ["a loop and an error route", SHIP] as const])("of %s has a direction", (_, text) => {
    const lines = [...svg(draw(load(text)), null).matchAll(/<path[^>]* d="([^"]+)"[^>]*marker-end/g)];
    expect(lines.length).toBeGreaterThan(0);
    for (const [, d = ""] of lines) {
      const points = pointsOf(d);
      const [end, before] = [points.at(-1), points.at(-2)];
      expect(end, d).not.toEqual(before);
    }
  });
});

const light = (state: NodeLight["state"], more: Partial<NodeLight> = {}): NodeLight => ({
  state,
  word: null,
  retries: 0,
  retryAt: null,
  items: null,
  ...more,
});

describe("a picture", () => {
  const picture = draw(load(SHIP));

  it("tells how a terminate step ends, by shape, colour and reason", () => {
    const text = svg(picture, null);
    expect(text).toMatch(
      /<g class="node terminate_success is-completed"><title>done: all &lt;well&gt;<\/title><polygon/,
    );
    expect(text).toMatch(/<g class="node terminate_failed is-failed"><title>sorry: not found<\/title><polygon/);
  });

  it("is light or dark as its reader likes, with every state's colours in both", () => {
    const [lightRules = "", darkRules = ""] = svg(picture, null).split("@media (prefers-color-scheme:dark)");
    expect(lightRules).toContain(".node.is-failed .body{fill:#fee2e2;stroke:#b91c1c}");
    expect(darkRules).toContain(".node.is-failed .body{fill:#450a0a;stroke:#f87171}");
  });

  it("shows what a run did: states with icons, retries, items in their order, the way that was taken", () => {
    const items = {
      count: 4,
      states: [
        { key: "0", state: "completed" },
        { key: "1", state: "failed" },
        { key: "2", state: "running" },
      ],
    } as const;
    const lights: Lights = {
      nodes: { a: light("completed", { retries: 2 }), each: light("running", { items }) },
      taken: ["a entered", "a 0 each"],
    };
    const text = svg(picture, lights);
    expect(text).toMatch(/<g class="node step is-completed lit"><title>a: completed · tried again 2×<\/title>/);
    expect(text).toContain(">↻ 2</text>");
    expect([...text.matchAll(/class="cell is-(\w+)"/g)].map(([, state]) => state)).toEqual([
      "completed",
      "failed",
      "running",
      "pending",
    ]);
    expect(text).toContain(">1 of 4 · 1 failed · 1 running</text>");
    expect([...text.matchAll(/<g class="edge (\w+) taken">/g)].map(([, kind]) => kind)).toEqual(["success", "success"]);
    expect(text).toContain('<g class="node terminate_failed is-pending">');
  });

  const thousand = (isFailed: (index: number) => boolean, chosen: string | null = null): Lights => {
    const states = Array.from({ length: 1000 }, (_, index) => ({
      key: String(index),
      state: isFailed(index) ? ("failed" as const) : ("completed" as const),
    }));
    return { nodes: { each: light("recovered", { items: { count: 1000, states, chosen } }) }, taken: [] };
  };
  const cellsIn = (text: string) => [...text.matchAll(/class="cell is-(\w+)"[^>]*><title>([^<]*)/g)];
  const partsIn = (text: string) => [...text.matchAll(/class="cell-part is-(\w+)"[^>]* height="([\d.]+)"/g)];

  it("shows all items of a long for_each: a cell stands for neighbours, and one of them that failed is a part of it", () => {
    const text = svg(
      picture,
      thousand((index) => index === 999),
    );
    const cells = cellsIn(text);
    expect(cells.length).toBeLessThan(1000);
    expect(new Set(cells.map(([, state]) => state))).toEqual(new Set(["completed"]));
    expect(cells.at(-1)?.[2]).toMatch(/^items \d+ to 999: 1 failed, \d+ completed$/);
    expect(partsIn(text).map(([, state]) => state)).toEqual(["failed"]);
  });

  it("colours of a long strip as much as failed, and at least what can be seen", () => {
    const heights = (isFailed: (index: number) => boolean) =>
      partsIn(svg(picture, thousand(isFailed))).map(([, , height]) => Number(height));
    const few = heights((index) => index % 90 === 0);
    expect(few.length).toBeGreaterThan(9);
    expect(Math.min(...few)).toBeGreaterThan(2);
    expect(Math.max(...few)).toBeLessThan(3);
    expect(Math.min(...heights((index) => index % 5 < 2))).toBeGreaterThan(3);
    const most = svg(
      picture,
      thousand((index) => index % 5 > 0),
    );
    expect(new Set(cellsIn(most).map(([, state]) => state))).toEqual(new Set(["failed"]));
    expect(partsIn(most)).toEqual([]);
  });

  it("marks the cell of the item that was chosen, by a shape and in its title", () => {
    const text = svg(
      picture,
      thousand(() => false, "500"),
    );
    expect([...text.matchAll(/<polygon class="cell-mark"/g)]).toHaveLength(1);
    expect(
      cellsIn(text)
        .map(([, , title]) => title)
        .filter((title) => title?.includes("chosen")),
    ).toEqual([expect.stringMatching(/^items \d+ to \d+: \d+ completed, 500 is chosen$/)]);
    expect(
      svg(
        picture,
        thousand(() => false),
      ),
    ).not.toContain('class="cell-mark"');
  });

  it("lies in the same place whatever a run did", () => {
    const places = (text: string) => [...text.matchAll(/<rect class="body"[^>]*>/g)].map(([rect]) => rect);
    const lights: Lights = { nodes: { a: light("failed", { retries: 9 }) }, taken: [] };
    expect(places(svg(picture, lights))).toEqual(places(svg(picture, null)));
  });
});
