// Groups: what becomes of members and items that fail, and what a retry or a resume runs again.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises, type ScriptAnswer } from "../../../test/support/engine/scripted-world.ts";
import type { Caller } from "../../steps/caller.ts";

const each = (settings: string, routes = "{ to: $end }", itemRoutes = ""): string => `
workflow: { name: case, entry_point: each, limits: { max_iterations: 60 }, input: { xs: { type: array, default: [a, b, c] } } }
steps:
  - { name: mend, type: script, command: mend }
  - { name: caught, type: set, value: "{{ each.error.kind }} {{ each.error.details.group.failed }}", routes: [{ to: $end }] }
for_each:
  - name: each
    type: for_each
    source: workflow.input.xs
    as: x
    max_concurrent: 1
    ${settings}
    agent: { name: work, type: script, command: work, args: ["{{ x }}"]${itemRoutes} }
    routes: [${routes}]
output: { outputs: "{{ each.outputs | map(attribute='stdout') if each.failed == 0 else each.outputs }}", failed: "{{ each.failed }}" }
`;

/** Fails for these items, as often as it is asked, or only the first time. */
const failing = (items: readonly string[], isOnce = false): ScriptAnswer => {
  const failed = new Set<string>();
  return (_: Caller, [item = ""]) => {
    if (!items.includes(item) || (isOnce && failed.has(item))) return `did ${item}`;
    failed.add(item);
    return raises("app.bad", { item });
  };
};

it("an item's error says which item of which group it was, to the group's handler too", async () => {
  const file = each("failure_mode: fail_fast", "{ to: $end }, { on_error: app.bad, to: caught }").replace(
    'value: "{{ each.error.kind }} {{ each.error.details.group.failed }}"',
    'value: "{{ error.group }}[{{ error.item_key }}]"',
  );
  const run = await new MemoryRun(file.replace(/^output:.*$/m, 'output: { of: "{{ caught.output }}" }')).drive({
    scripts: { work: [failing(["b"])] },
  });
  expect(run.output).toEqual({ of: "each[1]" });
  // Whether it ends unhandled is not known yet.
  expect(run.recorded("agent_failed").map(({ error_type }) => error_type)).toEqual(["WorkflowError", "WorkflowError"]);
});

describe("for_each", () => {
  it.each([
    ["plain values", "[a, b, c]", /finds nothing in any item.*plain value/],
    ["some items", "[{ id: x }, { name: y }]", /finds nothing in 1 of 2 items \(item 1 is the first\)/],
  ])("says so when key_by finds nothing in %s, and takes their index", async (_, items, said) => {
    const file = each("key_by: id")
      .replace("default: [a, b, c]", `default: ${items}`)
      .replace('args: ["{{ x }}"]', 'args: ["{{ _key }}"]')
      .replace(/^output:.*$/m, 'output: { keys: "{{ each.outputs | list }}" }');
    const { recorded, output } = await new MemoryRun(file).drive({ scripts: { work: [failing([])] } });
    expect(recorded("warning").map(({ message }) => message)).toEqual([expect.stringMatching(said)]);
    expect((output as { keys: string[] }).keys).toContain(items.startsWith("[a") ? "0" : "1");
  });

  const outputs = async (file: string) =>
    (await new MemoryRun(file).drive({ scripts: { work: [failing(["b"])] } })).output;

  it("leaves out an item that failed where the file or the group says so", async () => {
    const file = each("failure_mode: continue_on_error");
    const rest = { failed: 1, outputs: [{ stdout: "did a" }, { stdout: "did c" }] };
    expect(await outputs(file.replace("steps:", "agents:"))).toMatchObject(rest);
    expect(await outputs(each("failure_mode: continue_on_error\n    failed_items: omit"))).toMatchObject(rest);
  });

  it("keeps the place of an item that failed, and ends degraded", async () => {
    const { output, end } = await new MemoryRun(each("failure_mode: continue_on_error")).drive({
      scripts: { work: [failing(["b"])] },
    });
    expect(output).toMatchObject({ failed: 1, outputs: [{ stdout: "did a" }, null, { stdout: "did c" }] });
    expect(end).toMatchObject({ degraded: true });
  });

  it("names outputs by key when the items have one", async () => {
    const keyed = each("key_by: id")
      .replace("[a, b, c]", "[{ id: one }, { id: two }]")
      .replace("{{ x }}", "{{ x.id }}");
    const { events } = await new MemoryRun(keyed.replace(/^output:.*$/m, "")).drive({
      scripts: { work: [failing([])] },
    });
    const data = events.flatMap((event) => (event.type === "agent_completed" ? [event.data] : []));
    const group = data.find(({ agent_type }) => agent_type === "for_each");
    expect(group).toMatchObject({ output: { outputs: { one: { stdout: "did one" }, two: { stdout: "did two" } } } });
  });

  it("starts no further item after the first that failed, when it is to fail fast", async () => {
    const { ran, end } = await new MemoryRun(each("failure_mode: fail_fast")).drive({
      scripts: { work: [failing(["b"])] },
    });
    expect(ran).toEqual(["each#1[0].work", "each#1[1].work"]);
    expect(end).toMatchObject({ type: "raised", error: { kind: "app.bad", details: { item: "b" } } });
  });

  it("runs all items before it fails, when all must succeed, and counts both", async () => {
    const { ran, recorded } = await new MemoryRun(
      each("failure_mode: all_or_nothing", "{ to: $end }, { on_error: true, to: caught }"),
    ).drive({ scripts: { work: [failing(["a", "b"])] } });
    expect(ran).toHaveLength(3);
    expect(recorded("for_each_completed")).toMatchObject([{ success_count: 1, failure_count: 2, failed: true }]);
  });

  it("runs only the items that failed when the group is retried, and numbers their attempts on", async () => {
    const retried = each(
      "failure_mode: all_or_nothing",
      "{ to: $end }, { on_error: true, retry: { max: 1, initial_seconds: 1 } }",
    );
    const { ran, output, recorded } = await new MemoryRun(retried).drive({ scripts: { work: [failing(["b"], true)] } });
    expect(ran).toEqual(["each#1[0].work", "each#1[1].work", "each#1[2].work", "each#1~2[1].work"]);
    expect(output).toEqual({ failed: 0, outputs: ["did a", "did b", "did c"] });
    const attempts = recorded("agent_started").filter(({ item_key }) => item_key === "1");
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it("takes the output of a handler for the item's, and the group sees no failure", async () => {
    const handled = each("failure_mode: fail_fast", "{ to: $end }", ", routes: [{ on_error: app.bad, to: mend }]");
    const { output, recorded } = await new MemoryRun(handled).drive({
      scripts: { work: [failing(["b"])], mend: ["mended"] },
    });
    expect(output).toEqual({ failed: 0, outputs: ["did a", "mended", "did c"] });
    expect(recorded("for_each_item_completed").map(({ recovered }) => recovered)).toEqual([undefined, true, undefined]);
  });

  it("records which routes were read for an item that none of them took, and nothing where it has none", async () => {
    const itemRoutes = ", routes: [{ on_error: app.other, to: mend }]";
    const routed = each("failure_mode: continue_on_error", "{ to: $end }", itemRoutes);
    const scripts = { work: [failing(["b"])] };
    const { recorded } = await new MemoryRun(routed).drive({ scripts });
    expect(recorded("error_unhandled")).toMatchObject([
      { node: "work", key: "each#1[1].work", item_key: "1", considered: [{ index: 0, verdict: "other kind" }] },
    ]);
    const without = await new MemoryRun(each("failure_mode: continue_on_error")).drive({ scripts });
    expect(without.recorded("error_unhandled")).toEqual([]);
  });

  it("runs a handler once, also when a crash comes right after it", async () => {
    const handled = each("failure_mode: fail_fast", "{ to: $end }", ", routes: [{ on_error: app.bad, to: mend }]");
    const run = new MemoryRun(handled);
    const scripts = { work: [failing(["b"])], mend: ["mended"] };
    await run.drive({ scripts });
    run.cutAfter("agent_completed", ({ agent_name }) => agent_name === "mend");
    const { ran, output } = await run.drive({ scripts });
    expect(ran).toEqual(["each#1[2].work"]);
    expect(output).toEqual({ failed: 0, outputs: ["did a", "mended", "did c"] });
  });

  it("goes on after a crash with the items that had not ended", async () => {
    const run = new MemoryRun(each("failure_mode: fail_fast"));
    const scripts = { work: [failing([])] };
    await run.drive({ scripts });
    run.cutAfter("for_each_item_completed", ({ item_key }) => item_key === "1");
    expect(await run.drive({ scripts })).toMatchObject({ ran: ["each#1[2].work"], output: { failed: 0 } });
  });

  it("whose failure was written right before a crash is retried in a new round, with the item that failed", async () => {
    const retry = "{ to: $end }, { on_error: true, retry: { max: 1, initial_seconds: 1 } }";
    const run = new MemoryRun(each("failure_mode: all_or_nothing", retry));
    await run.drive({ scripts: { work: [failing(["b"])] } });
    run.cutAfter("error_raised", ({ node }) => node === "each");
    const { ran, output } = await run.drive({ scripts: { work: [failing([])] } });
    expect(ran).toEqual(["each#1~2[1].work"]);
    expect(output).toEqual({ failed: 0, outputs: ["did a", "did b", "did c"] });
  });

  it("takes items with an odd id for what they are", async () => {
    const odd = each("key_by: id")
      .replace("[a, b, c]", '[{ id: "a].work#1" }, { id: a }]')
      .replace("{{ x }}", "{{ x.id }}");
    const { ran } = await new MemoryRun(odd.replace(/^output:.*$/m, "")).drive({ scripts: { work: [failing([])] } });
    expect(new Set(ran).size).toBe(2);
  });

  it("does not run the items again that were done when the file's route is edited", async () => {
    const run = new MemoryRun(each("failure_mode: all_or_nothing"));
    await run.drive({ scripts: { work: [failing(["c"])] } });
    run.edit("routes: [{ to: $end }]\noutput", "routes: [{ to: $end }, { on_error: app.other, to: caught }]\noutput");
    expect((await run.drive({ scripts: { work: [failing([])] } })).ran).toEqual(["each#1[2].work"]);
  });

  it("runs what is new in a list that has grown", async () => {
    const run = new MemoryRun(each("failure_mode: all_or_nothing"));
    await run.drive({ scripts: { work: [failing(["c"])] } });
    const { ran } = await run.drive({ inputs: { xs: ["a", "b", "c", "d"] }, scripts: { work: [failing([])] } });
    expect(ran).toEqual(["each#1[2].work", "each#1[3].work"]);
  });

  it("stops when more than half of what finished failed with one kind, if that is what is wanted", async () => {
    const many = each("failure_mode: continue_on_error\n    stop_on_systemic: true");
    const xs = Array.from({ length: 30 }, (_, index) => `x${index}`);
    const { ran, end } = await new MemoryRun(many).drive({ inputs: { xs }, scripts: { work: [failing(xs)] } });
    expect(ran).toHaveLength(10);
    expect(end).toMatchObject({ type: "raised", error: { details: { systemic: true } } });
  });
});

const PARALLEL = `
workflow: { name: case, entry_point: both }
agents:
  - { name: left, type: script, command: left }
  - { name: right, type: script, command: right }
parallel:
  - { name: both, agents: [left, right], failure_mode: MODE, routes: [{ to: $end }] }
output: { left: "{{ both.outputs.left.stdout if both.outputs.left is defined else none }}", failed: "{{ both.failed }}" }
`;

describe("parallel", () => {
  it("goes on without a member that failed, when it is to continue", async () => {
    const { output } = await new MemoryRun(PARALLEL.replace("MODE", "continue_on_error")).drive({
      scripts: { left: ["l"], right: [raises("app.bad")] },
    });
    expect(output).toEqual({ left: "l", failed: 1 });
  });

  it("ends the siblings of the first that failed, when it is to fail fast", async () => {
    const { end, recorded } = await new MemoryRun(PARALLEL.replace("MODE", "fail_fast")).drive({
      scripts: { left: [{ hangs: true }], right: [raises("app.bad")] },
    });
    expect(end).toMatchObject({ type: "raised", error: { kind: "app.bad" } });
    expect(recorded("agent_cancelled")).toMatchObject([{ agent_name: "left", group: "both" }]);
  });

  it("runs after a failure only the member that failed", async () => {
    const run = new MemoryRun(PARALLEL.replace("MODE", "all_or_nothing"));
    await run.drive({ scripts: { left: ["l"], right: [raises("app.bad")] } });
    expect(await run.drive()).toMatchObject({ ran: ["both#1.right"], output: { left: "l", failed: 0 } });
  });
});
