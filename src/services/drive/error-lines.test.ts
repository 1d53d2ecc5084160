// What `errors.jsonl` holds: what nobody handled, and nothing else.
import { describe, expect, it } from "vitest";
import { MemoryRun } from "../../../test/support/engine/memory-run.ts";
import { raises, type ScriptAnswers } from "../../../test/support/engine/scripted-world.ts";
import { createRedactor } from "../../base/redact/index.ts";
import { ErrorLines } from "./error-lines.ts";

const each = (routes: string, mode = "fail_fast", agent = "{ name: work, type: script, command: work }"): string => `
workflow: { name: case, entry_point: each, limits: { max_iterations: 50 } }
agents:
  - { name: cope, type: script, command: cope, routes: [{ to: $end }] }
for_each:
  - { name: each, type: for_each, source: "{{ ['a', 'b'] }}", as: x, max_concurrent: 1, failure_mode: ${mode}, agent: ${agent}, routes: [${routes}] }
`;

const calling = (routes: string): Record<string, string> => ({
  "main.yaml": `
workflow: { name: case, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [${routes}] }
  - { name: cope, type: script, command: cope, routes: [{ to: $end }] }
`,
  "child.yaml": each("{ to: $end }", "all_or_nothing"),
});

/** The items that a further drive has lines for, when the one before was cut off just before its end. */
async function itemsAfterCrash(tellsAgain: boolean): Promise<readonly string[]> {
  const { events } = await new MemoryRun(each("{ to: $end }", "all_or_nothing")).drive({ scripts: { work: [BAD] } });
  const added: string[] = [];
  const target = {
    appendErrors: (line: string) => void added.push((JSON.parse(line) as { item_key: string }).item_key),
  };
  const redactor = createRedactor({ secrets: [] });
  const before = new ErrorLines(target, redactor, "case");
  for (const event of events) if (event.type !== "workflow_failed") before.see(event);
  expect(added).toEqual([]);
  const after = new ErrorLines(target, redactor, "case", before.open);
  for (const event of events)
    if (event.type === "for_each_item_failed") {
      if (tellsAgain) after.see({ ...event, data: { ...event.data, reused: true } });
    } else if (tellsAgain || event.type === "workflow_failed") after.see(event);
  expect(after.open).toEqual([]);
  return added;
}

async function linesOf(run: MemoryRun, scripts: ScriptAnswers): Promise<readonly unknown[]> {
  const { events } = await run.drive({ scripts });
  const lines: unknown[] = [];
  const target = { appendErrors: (line: string) => void lines.push(JSON.parse(line)) };
  const errors = new ErrorLines(target, createRedactor({ secrets: [] }), "case");
  for (const event of events) errors.see(event);
  return lines;
}

const BAD = raises("app.bad");

describe("errors.jsonl", () => {
  it("gets the lines of all members when the drive that lost them was cut off before it could write them", async () => {
    expect(await itemsAfterCrash(false)).toEqual(["0", "1"]);
    expect(await itemsAfterCrash(true)).toEqual(["0", "1"]);
  });

  it("has no line when a route took the group's error", async () => {
    const run = new MemoryRun(each("{ to: $end }, { on_error: app.bad, to: cope }"));
    expect(await linesOf(run, { work: [BAD] })).toEqual([]);
  });

  it("has no line when a retry of the group got over it", async () => {
    const run = new MemoryRun(each("{ to: $end }, { on_error: app.bad, retry: 1 }", "all_or_nothing"));
    expect(await linesOf(run, { work: [BAD, BAD, "ok"] })).toEqual([]);
  });

  it("has a line for each lost item that names every group, though inner items of two outer ones have the same key", async () => {
    const files = {
      "main.yaml": each("{ to: $end }", "all_or_nothing", "{ name: call, type: workflow, workflow: child.yaml }"),
      "child.yaml": each("{ to: $end }", "all_or_nothing")
        .replace("name: case", "name: child")
        .replace("name: each", "name: inner")
        .replace("entry_point: each", "entry_point: inner"),
    };
    const line = (outer: string, inner: string) => ({
      kind: "app.bad",
      group: "inner",
      item_key: inner,
      items: [
        { group: "each", item_key: outer },
        { group: "inner", item_key: inner },
      ],
    });
    // The first of each outer item went up with it.
    const wentUp = (outer: string) => ({
      propagated: [{ workflow: "case", node: "call", group: "each", item_key: outer }],
    });
    expect(await linesOf(new MemoryRun(files), { work: [BAD] })).toMatchObject([
      { ...line("0", "0"), ...wentUp("0") },
      line("0", "1"),
      { ...line("1", "0"), ...wentUp("1") },
      line("1", "1"),
    ]);
  });

  it("has no line when a route of the caller took what a child's group raised", async () => {
    const run = new MemoryRun(calling("{ to: $end }, { on_error: app.bad, to: cope }"));
    expect(await linesOf(run, { work: [BAD] })).toEqual([]);
  });

  it("has one for each member, with its group and item, when nobody took it", async () => {
    const lines = await linesOf(new MemoryRun(calling("{ to: $end }")), { work: [BAD] });
    expect(lines).toMatchObject([
      { kind: "app.bad", workflow: "case", group: "each", item_key: "0" },
      { kind: "app.bad", group: "each", item_key: "1" },
    ]);
  });

  it("has one for a member that its group went on without, once", async () => {
    const run = new MemoryRun(each("{ to: cope }", "continue_on_error"));
    expect(await linesOf(run, { work: [BAD, "ok"], cope: [raises("app.late")] })).toMatchObject([
      { kind: "app.bad", group: "each", item_key: "0" },
      { kind: "app.late" },
    ]);
    expect(await linesOf(run, { cope: ["ok"] })).toEqual([]);
  });

  it("has it too when a crash came before the group had ended", async () => {
    const run = new MemoryRun(each("{ to: $end }", "continue_on_error"));
    await linesOf(run, { work: [BAD, "ok"] });
    run.cutAfter("for_each_item_failed");
    expect(await linesOf(run, { work: ["ok"] })).toMatchObject([{ kind: "app.bad", item_key: "0" }]);
  });
});
