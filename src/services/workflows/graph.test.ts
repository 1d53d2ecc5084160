import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { type ArrangedItem, arrange } from "../../graph/arrange/lay-out-picture.ts";
import { labelSize } from "../../graph/arrange/placed.ts";
import { draw } from "../../graph/draw.ts";
import { edgesBelow, itemsBelow } from "../../graph/picture.ts";
import { loadWorkflow } from "../../language/load.ts";
import { runWorkflow } from "../runs/run.ts";
import { drawGraph } from "./graph.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "segno-graph-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const env = { PATH: process.env.PATH, HOME: "/nonexistent" };

const SHIP = `
workflow:
  name: ship
  entry_point: fetch
  error_routes: [{ on_error: "external.*", halt: stop }]
agents:
  - { name: fetch, type: script, command: "true", routes: [{ to: ask }] }
  - { name: ask, type: human_gate, prompt: "Go?", options: [{ label: "Yes, go", value: yes, route: upload }, { label: "No", value: no, route: $end }] }
  - name: upload
    type: script
    command: "true"
    raises: [registry.busy, registry.refused]
    routes:
      - { to: checks, when: "{{ output.exit_code == 0 }}" }
      - { to: done }
      - { on_error: registry.busy, retry: 3 }
      - { on_error: registry.refused, to: sorry }
  - { name: lint, type: script, command: "true", raises: [a.b], routes: [{ on_error: a.b, retry: 2 }] }
  - { name: test, type: script, command: "true" }
  - { name: done, type: terminate, status: success, reason: ok }
  - { name: sorry, type: terminate, status: failed, reason: sorry }
parallel:
  - { name: checks, agents: [lint, test], routes: [{ to: call }] }
`;
const withCall = `${SHIP.replace("\nparallel:", "\n  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: done }] }\nparallel:")}`;
const CHILD =
  "workflow: { name: child, entry_point: inner }\nagents:\n  - { name: inner, type: workflow, workflow: child.yaml, max_depth: 2, routes: [{ to: $end }] }\n";

const pictured = (files: Readonly<Record<string, string>> = { "/w/ship.yaml": withCall, "/w/child.yaml": CHILD }) => {
  const { workflow } = loadWorkflow("/w/ship.yaml", memoryWorld(files));
  if (!workflow) throw new Error("it does not load");
  return draw(workflow);
};

describe("the picture of a workflow", () => {
  it("has a box for each group and sub-workflow, and draws a file that calls itself once", () => {
    const boxes = itemsBelow(pictured().items).filter(({ kind }) => kind === "box");
    expect(boxes.map(({ id }) => id)).toEqual(["call", "checks"]);
    expect(itemsBelow(pictured().items).map(({ id }) => id)).toContain("call/inner");
  });

  it("has every route with what it is for", () => {
    const edges = edgesBelow(pictured()).map(({ from, to, on, isRetry, label }) =>
      [from, on === "error" ? "~>" : "->", to, isRetry ? "again" : "", label.join(" ")].filter(Boolean).join(" "),
    );
    expect(edges).toEqual(
      expect.arrayContaining([
        "$start -> fetch",
        "ask -> upload Yes, go",
        "ask -> $end No",
        "upload -> checks if output.exit_code == 0",
        "upload ~> upload again registry.busy ↻ 3×",
        "upload ~> sorry registry.refused",
        "lint ~> lint again a.b ↻ 2×",
        "$any ~> $halt external.*",
      ]),
    );
    expect(edges.filter((edge) => edge.startsWith("done") || edge.startsWith("test"))).toEqual([]);
  });
});

interface Rect {
  readonly what: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const overlaps = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Every pair of things in one container that lie on each other. */
function collisions({ items, edges }: ReturnType<typeof arrange>): readonly string[] {
  const rects: readonly Rect[] = [
    ...items.map(({ item, at, width, height }: ArrangedItem) => ({ what: item.id, ...at, width, height })),
    ...edges.flatMap(({ edge, label }) => {
      const size = edge.label.length > 0 ? labelSize(edge.label) : undefined;
      if (!label || !size) return [];
      return [{ what: edge.label.join(" "), x: label.x - size.width / 2, y: label.y - size.height / 2, ...size }];
    }),
  ];
  const here = rects.flatMap((a, index) =>
    rects.slice(index + 1).flatMap((b) => (overlaps(a, b) ? [`${a.what} lies on ${b.what}`] : [])),
  );
  return [...here, ...items.flatMap(({ inner }) => (inner ? collisions(inner) : []))];
}

const EXAMPLES = readdirSync("examples").filter((name) => name.endsWith(".yaml"));

describe("the layout", () => {
  it("lets nothing lie on anything else", () => {
    const { items, edges } = pictured();
    expect(collisions(arrange(items, edges))).toEqual([]);
  });

  it("stays quick and clean with 200 steps and routes across them", () => {
    const steps = Array.from({ length: 200 }, (_, index) => {
      const to = index < 199 ? `s${index + 1}` : "$end";
      const far = `s${(index * 7 + 13) % 200}`;
      return `  - { name: s${index}, type: script, command: "true", raises: [a.b], routes: [{ to: ${to} }, { on_error: a.b, to: ${far} }] }`;
    });
    const text = `workflow: { name: many, entry_point: s0 }\nagents:\n${steps.join("\n")}\n`;
    const { items, edges } = pictured({ "/w/ship.yaml": text });
    expect(collisions(arrange(items, edges))).toEqual([]);
  });
});

describe("segno graph", () => {
  const formats = ["mermaid", "dot", "svg"] as const;

  it.each(EXAMPLES.flatMap((file) => formats.map((format) => [file, format] as const)))(
    "draws %s as %s",
    async (file, format) => {
      const answer = await drawGraph({ cwd: resolve("examples"), env: {} }, { file, format });
      expect(answer).toMatchObject({ success: true, format });
      expect(answer.graph).toMatch(
        { mermaid: /^%%[^\n]*\nflowchart TB/, dot: /^digraph /, svg: /^<svg [\s\S]*<\/svg>\n$/ }[format],
      );
      expect(answer.graph).not.toMatch(/undefined|NaN|missing/);
    },
  );

  it("keeps what an author wrote from becoming markup", async () => {
    writeFileSync(
      join(cwd, "x.yaml"),
      `workflow: { name: '<b>"x"</b>', entry_point: a }\nagents:\n  - { name: a, type: script, command: "true", routes: [{ to: $end, when: 'output.stdout == "<i>"' }, { to: $end }] }\n`,
    );
    const graph = async (format: (typeof formats)[number]) =>
      (await drawGraph({ cwd, env }, { file: "x.yaml", format })).graph;
    expect(await graph("svg")).not.toMatch(/<b>|<i>/);
    expect(await graph("mermaid")).not.toContain("<i>");
    expect(await graph("dot")).toContain('\\"<i>\\"');
  });

  it("lights the way that a run took, and only that", async () => {
    writeFileSync(
      join(cwd, "w.yaml"),
      "workflow: { name: w, entry_point: a }\nagents:\n  - { name: a, type: script, command: 'false', raises: [x.y], routes: [{ to: b }, { on_error: true, to: c }] }\n  - { name: b, type: set, value: 1 }\n  - { name: c, type: set, value: 2 }\n",
    );
    const all = { cwd, env, home: join(cwd, "home") };
    const { run_id } = await runWorkflow(all, { file: "w.yaml", inputs: {} });
    const { graph } = await drawGraph(all, { file: "w.yaml", format: "mermaid", run: run_id ?? "" });
    expect(graph).toContain("class n1 warm");
    expect(graph).toContain("class n2 faded");
    expect(graph).toContain("class n3 good");
    expect(await drawGraph(all, { file: "w.yaml", format: "svg", run: "nope" })).toMatchObject({
      exit_code: 2,
      graph: "",
    });
  });

  it("shows on each step how its run went: retries, items, what waits, and the whole of a stub that was taken", async () => {
    writeFileSync(
      join(cwd, "w.yaml"),
      `workflow: { name: w, entry_point: flaky, input: { xs: { type: array, default: [0, 1, 0] } } }
agents:
  - { name: flaky, type: script, command: sh, args: [-c, 'test -f ok || { touch ok; exit 1; }'], routes: [{ to: each }, { on_error: true, retry: { max: 2, initial_seconds: 0 } }] }
  - { name: lost, type: script, command: "false", routes: [{ to: a }, { on_error: true, to: ask }] }
  - { name: a, type: set, value: "1", routes: [{ to: b }] }
  - { name: b, type: set, value: "1", routes: [{ to: c }] }
  - { name: c, type: set, value: "1", routes: [{ to: ask }] }
  - { name: ask, type: human_gate, prompt: "Go?", options: [{ label: "Yes", value: yes, route: $end }] }
for_each:
  - { name: each, type: for_each, source: workflow.input.xs, as: x, failure_mode: continue_on_error, agent: { name: w, type: script, command: sh, args: [-c, 'exit "$1"', sh, "{{ x }}"], raises: [a.b] }, routes: [{ to: lost }] }
`,
    );
    const all = { cwd, env, home: join(cwd, "home"), file: "w.yaml" };
    const { run_id } = await runWorkflow(all, { ...all, inputs: {} });
    const dark = await drawGraph(all, { ...all, format: "svg" });
    expect(dark.graph).toMatch(
      /<g class="edge label error"><path class="line stub"[^>]*\/><path class="line hidden-way"/,
    );
    expect(dark.graph).toContain(">→ ask</text>");
    const { graph } = await drawGraph(all, { ...all, format: "svg", run: run_id ?? "" });
    expect(graph).toContain("<title>flaky: completed · tried again 1×</title>");
    expect(graph).toContain("<title>ask: waiting</title>");
    expect(graph).toContain("<title>lost: recovered</title>");
    expect([...graph.matchAll(/class="cell is-(\w+)"/g)].map(([, state]) => state)).toEqual([
      "completed",
      "failed",
      "completed",
    ]);
    expect(graph).toMatch(/<g class="edge error taken"><path class="line" d="M/);
    expect(graph).not.toContain('hidden-way"');
  });

  it("lights only the option that was chosen where two options lead to the same step", async () => {
    writeFileSync(
      join(cwd, "doors.yaml"),
      `workflow: { name: doors, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: Which?, options: [{ label: Left, value: l, route: next }, { label: Right, value: r, route: next }] }
  - { name: next, type: set, value: "1" }
`,
    );
    const all = { cwd, env, home: join(cwd, "home"), file: "doors.yaml" };
    const { run_id } = await runWorkflow(all, { ...all, inputs: {}, skipGates: true });
    const { graph } = await drawGraph(all, { ...all, format: "dot", run: run_id ?? "" });
    const width = (label: string) => new RegExp(`label="${label}".*penwidth="([\\d.]+)"`).exec(graph)?.[1];
    expect([width("Left"), width("Right")]).toEqual(["2.5", "0.8"]);
  });

  it("does not show a group that lost items as if all were well", async () => {
    writeFileSync(
      join(cwd, "g.yaml"),
      `workflow: { name: g, entry_point: each, input: { xs: { type: array, default: [0, 1] } } }
agents: []
for_each:
  - { name: each, type: for_each, source: workflow.input.xs, as: x, failure_mode: continue_on_error, agent: { name: w, type: script, command: sh, args: [-c, 'exit "$1"', sh, "{{ x }}"], raises: [a.b] }, routes: [{ to: $end }] }
`,
    );
    const all = { cwd, env, home: join(cwd, "home") };
    const { run_id, status } = await runWorkflow(all, { file: "g.yaml", inputs: {} });
    expect(status).toBe("degraded");
    const { graph } = await drawGraph(all, { file: "g.yaml", format: "mermaid", run: run_id ?? "" });
    const id = /subgraph (n\d+)\["each/.exec(graph)?.[1];
    expect(graph).toContain(`class ${id} warm`);
  });

  describe("of a file with sub-workflows", () => {
    const steps = (count: number, last: string): string =>
      Array.from(
        { length: count },
        (_, index) =>
          `  - { name: s${index}, type: set, value: "1", routes: [{ to: ${index + 1 < count ? `s${index + 1}` : last} }] }\n`,
      ).join("");
    const file = (name: string, count: number, calls?: string): void =>
      writeFileSync(
        join(cwd, `${name}.yaml`),
        `workflow: { name: ${name}, entry_point: s0 }\nagents:\n${steps(count, calls ? "call" : "$end")}${
          calls ? `  - { name: call, type: workflow, workflow: ${calls}.yaml, routes: [{ to: $end }] }\n` : ""
        }`,
      );
    const graph = async (format: (typeof formats)[number], depth?: number | "all") =>
      (await drawGraph({ cwd, env }, { file: "top.yaml", format, ...(depth === undefined ? {} : { depth }) })).graph;
    const inner = { mermaid: "subgraph", dot: "subgraph", svg: 'class="box' } as const;

    it.each(formats)("unfolds as many levels in %s as asked", async (format) => {
      file("top", 2, "middle");
      file("middle", 2, "low");
      file("low", 2);
      const boxes = async (depth?: number | "all") => (await graph(format, depth)).split(inner[format]).length - 1;
      expect(await boxes()).toBe(2);
      expect(await boxes(0)).toBe(0);
      expect(await boxes(1)).toBe(1);
      expect(await boxes("all")).toBe(2);
      expect(await graph(format, 0)).toContain("workflow · 5 steps");
      expect(await graph(format, 1)).toContain("workflow · 2 steps");
    });

    it.each(formats)("folds them in %s when there is too much to see", async (format) => {
      file("top", 2, "middle");
      file("middle", 60);
      expect(await graph(format)).toContain("workflow · 60 steps");
      expect(await graph(format)).not.toContain(inner[format]);
      expect(await graph(format, "all")).toContain(inner[format]);
    });
  });

  it("refuses a file that does not load, with its findings", async () => {
    writeFileSync(join(cwd, "bad.yaml"), "workflow: { name: x, entry_point: nowhere }\nagents: []\n");
    expect(await drawGraph({ cwd, env }, { file: "bad.yaml", format: "svg" })).toMatchObject({
      success: false,
      exit_code: 2,
      graph: "",
    });
  });
});

describe("a run that a terminate step ended", () => {
  const STOPS = `
workflow: { name: stops, entry_point: a, input: { token: { type: string, secret: true } } }
agents:
  - { name: a, type: set, value: "the branch {{ workflow.input.token }} is red", routes: [{ to: stop }] }
  - { name: stop, type: terminate, status: failed, reason: "{{ a.output }}, and somebody has to look at it before anything else is merged" }
`;

  it.each(["svg", "dot", "mermaid"] as const)(
    "has its rendered reason in the picture, without secrets: %s",
    async (format) => {
      writeFileSync(join(cwd, "stops.yaml"), STOPS);
      const here = { cwd, env, home: join(cwd, "home") };
      const { run_id } = await runWorkflow(here, {
        file: "stops.yaml",
        inputs: { token: { value: "tok-8472fj28sk1" } },
      });
      const { graph } = await drawGraph(here, { file: "stops.yaml", format, run: run_id ?? "" });
      expect(graph).not.toContain("tok-8472fj28sk1");
      expect(graph).not.toContain("a.output");
      expect(graph).toContain("the branch");
      if (format === "svg") {
        expect(graph).toMatch(/<title>stop: failed · the branch .*is merged<\/title>/);
        expect(graph.replace(/<title>[^<]*<\/title>/g, "")).toContain("the branch");
      }
    },
  );
});
