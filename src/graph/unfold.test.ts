import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { loadWorkflow } from "../language/load.ts";
import { draw } from "./draw.ts";
import { keepInPlace, layOutPicture, paintPicture, unfoldedAtFirst } from "./index.ts";

const FILES = {
  "/w/top.yaml": `
workflow: { name: top, entry_point: a }
agents:
  - { name: a, type: script, command: x, raises: [a.b], routes: [{ to: call }, { to: other, when: output.ok }, { on_error: a.b, to: other }] }
  - { name: call, type: workflow, workflow: middle.yaml, routes: [{ to: other }] }
  - { name: other, type: workflow, workflow: low.yaml, routes: [{ to: $end }] }
`,
  "/w/middle.yaml": `
workflow: { name: middle, entry_point: one }
agents:
  - { name: one, type: set, value: "1", routes: [{ to: deeper }] }
  - { name: deeper, type: workflow, workflow: low.yaml, routes: [{ to: $end }] }
`,
  "/w/low.yaml": `
workflow: { name: low, entry_point: x }
agents:
  - { name: x, type: set, value: "1", routes: [{ to: y }] }
  - { name: y, type: set, value: "2", routes: [{ to: $end }] }
`,
};

const { workflow } = loadWorkflow("/w/top.yaml", memoryWorld(FILES));
if (!workflow) throw new Error("it does not load");
const picture = draw(workflow);
const idsOf = (unfolded: readonly string[]) => layOutPicture(picture, unfolded).nodes.map(({ id }) => id);

describe("a sub-workflow in the page", () => {
  it("is one node until it is unfolded, and then a box with what is in it", () => {
    expect(idsOf([])).not.toContain("call/one");
    expect(idsOf(["call"])).toEqual(expect.arrayContaining(["call", "call/one", "call/deeper"]));
    expect(idsOf(["call"])).not.toContain("call/deeper/x");
    expect(idsOf(["call", "call/deeper"])).toContain("call/deeper/x");
  });

  it("is unfolded at first in a small picture", () => {
    expect([...unfoldedAtFirst(picture)]).toEqual(["call", "call/deeper", "other"]);
  });

  it.each([
    ["call", [], ["call"]],
    ["other", ["call"], ["call", "other"]],
    ["call/deeper", ["call", "other"], ["call", "call/deeper", "other"]],
    ["call", ["call", "other"], ["other"]],
  ])("%s stays where it was clicked", (id, unfolded, then) => {
    const [before, after] = [layOutPicture(picture, unfolded), layOutPicture(picture, then)];
    const { dx, dy } = keepInPlace(before, after, id);
    const [old, now] = [before, after].map(({ nodes }) => nodes.find((node) => node.id === id));
    expect(Math.abs((now?.x ?? Number.NaN) + dx - (old?.x ?? Number.NaN))).toBeLessThanOrEqual(1);
    expect(Math.abs((now?.y ?? Number.NaN) + dy - (old?.y ?? Number.NaN))).toBeLessThanOrEqual(1);
  });

  it("leaves its box in place when it is folded away with it", () => {
    const [before, after] = [layOutPicture(picture, ["call"]), layOutPicture(picture, [])];
    expect(keepInPlace(before, after, "call/one")).toEqual(keepInPlace(before, after, "call"));
  });
});

describe("what the page is given", () => {
  it("is plain data that a worker can send, with ids that are unique", () => {
    const layout = layOutPicture(picture, ["call"]);
    const shapes = paintPicture(layout, null);
    expect(JSON.parse(JSON.stringify({ picture, layout, shapes }))).toEqual({ picture, layout, shapes });
    for (const ids of [layout.nodes, layout.edges, shapes].map((all) => all.map(({ id }) => id)))
      expect(new Set(ids).size).toBe(ids.length);
  });

  it("is the same every time", () => {
    expect(layOutPicture(picture, ["other", "call"])).toEqual(layOutPicture(picture, ["call", "other"]));
  });

  it("needs nothing that a browser has not", async () => {
    const { build } = await import("esbuild");
    const built = await build({
      entryPoints: ["src/graph/index.ts"],
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      write: false,
      metafile: true,
    });
    const inputs = Object.keys(built.metafile.inputs);
    expect(inputs.filter((file) => !file.startsWith("src/graph/"))).toEqual([]);
    expect(built.outputFiles[0]?.contents.length).toBeLessThan(30_000);
  });
});
