// Groups inside groups, by way of sub-workflows: an error names every item it came from, and a lost item degrades the run
// whatever its siblings did.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises, type ScriptAnswer } from "../../../test/support/engine/scripted-world.ts";

const parent = (mode: string, routes = "[{ to: $end }]"): string => `
workflow: { name: parent, entry_point: outer, limits: { max_iterations: 50 }, input: { xs: { type: array, default: [eu, us] } } }
agents:
  - { name: caught, type: set, value: "{{ error.kind }}" }
for_each:
  - name: outer
    type: for_each
    source: workflow.input.xs
    as: x
    key_by: id
    max_concurrent: 1
    failure_mode: ${mode}
    agent: { name: call, type: workflow, workflow: child.yaml, input_mapping: { x: "{{ x }}" } }
    routes: ${routes}
output: { done: true }
`;
const child = (mode: string, agent = "type: script, command: w", more = ""): string => `
workflow: { name: child, entry_point: inner, limits: { max_iterations: 50 }, input: { x: { type: string }, ys: { type: array, default: [p, q] } } }
agents:
  - { name: after, type: script, command: after, args: ["{{ workflow.input.x }}"] }
${more}for_each:
  - name: inner
    type: for_each
    source: workflow.input.ys
    as: y
    max_concurrent: 1
    failure_mode: ${mode}
    agent: { name: w, ${agent}, args: ["{{ workflow.input.x }}{{ y }}"] }
    routes: [{ to: after }]
`;
/** Raises for these arguments. */
const bad =
  (...args: readonly string[]): ScriptAnswer =>
  (_, [given = ""]) =>
    args.includes(given) ? raises("a.b") : "ok";
const keyed = (text: string): string =>
  text.replace("default: [eu, us]", "default: [{ id: eu }, { id: us }]").replace("{{ x }}", "{{ x.id }}");

describe("an error that passes several groups", () => {
  const files = { "main.yaml": keyed(parent("all_or_nothing")), "child.yaml": child("all_or_nothing") };
  const items = [
    { group: "outer", item_key: "us" },
    { group: "inner", item_key: "1" },
  ];

  it("names every item, outermost first, from where it is raised to the end of the run", async () => {
    const { end, recorded } = await new MemoryRun(files).drive({ scripts: { w: [bad("usq")] } });
    expect(end).toMatchObject({ type: "raised", error: { items, group: "inner", item_key: "1" } });
    expect(recorded("error_raised").map(({ error }) => error.items)).toEqual([items, items, items, items]);
  });

  it("names the item of each caller with the boundary that it crossed", async () => {
    const { end } = await new MemoryRun(files).drive({ scripts: { w: [bad("usq")] } });
    const propagated = [{ workflow: "parent", node: "call", group: "outer", item_key: "us" }];
    expect(end).toMatchObject({ error: { propagated, raised_at: { workflow: "child", node: "w" } } });
  });

  it("names the items of its callers where the step that raised is in no group itself", async () => {
    const deep = {
      ...files,
      "child.yaml": child("all_or_nothing").replace(
        /agent: .*/,
        'agent: { name: again, type: workflow, workflow: deep.yaml, input_mapping: { y: "{{ workflow.input.x }}{{ y }}" } }',
      ),
      "deep.yaml":
        'workflow: { name: deep, entry_point: w, input: { y: { type: string } } }\nagents: [{ name: w, type: script, command: w, args: ["{{ workflow.input.y }}"] }]\n',
    };
    const { end } = await new MemoryRun(deep).drive({ scripts: { w: [bad("usq")] } });
    const propagated = [
      { workflow: "child", node: "again", group: "inner", item_key: "1" },
      { workflow: "parent", node: "call", group: "outer", item_key: "us" },
    ];
    expect(end).toMatchObject({ error: { items, group: "inner", item_key: "1", propagated } });
  });

  it("names the group alone where the member is none of a list", async () => {
    const inParallel = {
      ...files,
      "child.yaml": `
workflow: { name: child, entry_point: both, input: { x: { type: string } } }
agents:
  - { name: w, type: script, command: w, args: ["{{ workflow.input.x }}"] }
  - { name: v, type: set, value: "1" }
parallel: [{ name: both, agents: [w, v], failure_mode: all_or_nothing }]
`,
    };
    const { end } = await new MemoryRun(inParallel).drive({ scripts: { w: [bad("us")] } });
    expect(end).toMatchObject({ error: { items: [{ group: "outer", item_key: "us" }, { group: "both" }] } });
  });

  it("has no list where there is one group only", async () => {
    const { end } = await new MemoryRun({
      ...files,
      "main.yaml": child("all_or_nothing")
        .replace("x: { type: string }, ", "")
        .replace(/workflow\.input\.x }}\{\{/, "y }}{{")
        .replace("{{ workflow.input.x }}", "-"),
    }).drive({ scripts: { w: [bad("qq")] } });
    expect(end).toMatchObject({ type: "raised", error: { group: "inner", item_key: "1" } });
    expect(end).not.toHaveProperty("error.items");
  });
});

describe("a run that lost an item of a child", () => {
  const degraded = async (
    xs: readonly string[],
    main = parent("fail_fast"),
    more: Readonly<Record<string, string>> = {},
  ) => {
    const files = { "main.yaml": main, "child.yaml": child("continue_on_error"), ...more };
    const { end, recorded } = await new MemoryRun(files).drive({
      inputs: { xs },
      scripts: { w: [bad("badq")], after: [bad("bad after")] },
    });
    return { end, children: recorded("subworkflow_completed").map((data) => data.degraded) };
  };
  const plain = (text: string): string => text.replace("    key_by: id\n", "");

  it.each([
    [["bad", "good"], true],
    [["good", "bad"], true],
    [["good", "bad", "good"], true],
    [["good", "good"], false],
  ])("is degraded whatever the other items did: %j", async (xs, isDegraded) => {
    const { end, children } = await degraded(xs, plain(parent("fail_fast")));
    expect(end).toMatchObject({ type: "completed", degraded: isDegraded });
    expect(children).toEqual(xs.map((x) => x === "bad"));
  });

  it("is degraded in a parallel group, too", async () => {
    const both = `
workflow: { name: parent, entry_point: both, input: { xs: { type: array, default: [] } } }
agents:
  - { name: one, type: workflow, workflow: child.yaml, input_mapping: { x: bad } }
  - { name: two, type: workflow, workflow: child.yaml, input_mapping: { x: good } }
parallel: [{ name: both, agents: [one, two], max_concurrent: 1 }]
`;
    expect((await degraded([], both)).end).toMatchObject({ degraded: true });
  });

  it("is degraded when the child ended itself well", async () => {
    const ends = child("continue_on_error")
      .replace("routes: [{ to: after }]", "routes: [{ to: stop }]")
      .replace("agents:\n", "agents:\n  - { name: stop, type: terminate, status: success, reason: enough }\n");
    const { end, children } = await degraded(["bad", "good"], plain(parent("fail_fast")), { "child.yaml": ends });
    expect(end).toMatchObject({ type: "completed", degraded: true });
    expect(children).toEqual([true, false]);
  });

  it("is degraded when a route took a later error of that child", async () => {
    const main = plain(parent("fail_fast", "[{ to: $end }, { on_error: true, to: caught }]"));
    const files = { "main.yaml": main, "child.yaml": child("continue_on_error") };
    const { end } = await new MemoryRun(files).drive({
      inputs: { xs: ["bad"] },
      scripts: { w: [bad("badq")], after: [raises("a.late")] },
    });
    expect(end).toMatchObject({ type: "completed", degraded: true });
  });

  it("is not degraded once the item's next attempt lost nothing", async () => {
    const main = plain(parent("fail_fast")).replace(
      'input_mapping: { x: "{{ x }}" }',
      'input_mapping: { x: "{{ x }}" }, routes: [{ on_error: true, retry: { max: 1 } }]',
    );
    const files = { "main.yaml": main, "child.yaml": child("continue_on_error") };
    const { end } = await new MemoryRun(files).drive({
      inputs: { xs: ["bad"] },
      scripts: { w: ["ok", raises("a.b"), "ok"], after: [raises("a.late"), "ok"] },
    });
    expect(end).toMatchObject({ type: "completed", degraded: false });
  });

  it("is degraded after a resume that runs only what came later", async () => {
    const main = plain(parent("fail_fast", "[{ to: last }]")).replace(
      "agents:\n",
      "agents:\n  - { name: last, type: script, command: last }\n",
    );
    const run = new MemoryRun({ "main.yaml": main, "child.yaml": child("continue_on_error") });
    const scripts = { w: [bad("badq")], last: [raises("a.late")] };
    await run.drive({ inputs: { xs: ["bad", "good"] }, scripts });
    expect(await run.drive({ inputs: { xs: ["bad", "good"] } })).toMatchObject({
      ran: ["last#1"],
      end: { type: "completed", degraded: true },
    });
  });
});
