import { describe, expect, it } from "vitest";
import { Terminal } from "../../../../test/support/terminal.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import { Output } from "../output.ts";
import { LiveTree } from "./live-tree.ts";

const event = (type: string, data: object): RunEvent =>
  ({ seq: 1, ts: "2030-01-01T00:00:00.000Z", type, run_id: "01RUN", path: [], data }) as unknown as RunEvent;

const outline = { name: "w", file: "w.yaml", nodes: [{ name: "a", type: "script" }] };
const started = event("workflow_started", { name: "w", file: "w.yaml", entry_point: "a", outline, inputs: {} });
const step = { agent_name: "a", agent_type: "script", key: "a#1", attempt: 1 };

function tree(verbose = false, wide = false): { terminal: Terminal; live: LiveTree } {
  const terminal = new Terminal();
  terminal.columns = verbose || wide ? 60 : 30;
  const settings = { format: "text", quiet: false, verbose, plain: true, env: {} } as const;
  return { terminal, live: new LiveTree(new Output(settings, { stdout: terminal, stderr: terminal })) };
}

it("keeps what is said while it is drawn, and leaves nothing of itself behind", () => {
  const { terminal, live } = tree();
  live.on(started);
  live.on(event("agent_started", { ...step, iteration: 1 }));
  live.say("0 of 1 letter resolved");
  expect(terminal.text.length).toBeGreaterThan(2);
  live.say("and one more");
  live.end();
  expect(terminal.text).toEqual(["▸ w 01RUN", "0 of 1 letter resolved", "and one more"]);
});

it("says at once what is said before there is anything to draw", () => {
  const { terminal, live } = tree();
  live.say("Asking a model …");
  expect(terminal.text).toEqual(["Asking a model …"]);
});

it("breaks lines at words where the terminal ends", () => {
  const { terminal, live } = tree();
  live.on(started);
  live.on(event("warning", { node: null, message: "the journal was shorter than it had been" }));
  live.end();
  expect(terminal.text).toEqual(["▸ w 01RUN", "▲ the journal was shorter than", "  it had been"]);
});

describe("a group", () => {
  const items = {
    group_name: "each",
    key: "each#1",
    item_count: 2,
    max_concurrent: 2,
    failure_mode: "continue_on_error",
  };
  const item = (item_key: string) => ({
    agent_name: "w",
    agent_type: "script",
    key: `each#1[${item_key}].w`,
    attempt: 1,
    group: "each",
    item_key,
  });
  const says = (item_key: string, text: string) =>
    event("script_output", { node: "w", stream: "stdout", text, group: "each", item_key });
  const nodes = [{ name: "each", type: "for_each", item: { name: "w", type: "script" } }];
  const begun = event("workflow_started", { name: "w", file: "w.yaml", outline: { ...outline, nodes }, inputs: {} });

  function running(verbose = false) {
    const shown = tree(verbose, true);
    shown.live.on(begun);
    shown.live.on(event("for_each_started", items));
    for (const [index, key] of ["a", "docs/b"].entries()) {
      shown.live.on(event("for_each_item_started", { group_name: "each", item_key: key, index }));
      shown.live.on(event("agent_started", { ...item(key), iteration: 1 }));
    }
    return shown;
  }

  it("shows in an item's row what that item printed, and nobody else", () => {
    const { terminal, live } = running();
    live.on(says("a", "from a\n"));
    live.on(says("docs/b", "from b\n"));
    live.say();
    const rows = terminal.text.filter((line) => line.includes("each["));
    expect(rows.map((row) => row.replace(/^ *\S+ | +\d\.\ds/g, ""))).toEqual([
      "each[a]  from a",
      "each[docs/b]  from b",
    ]);
    live.end();
  });

  it("names with -v the item that printed a line", () => {
    const { terminal, live } = running(true);
    live.on(says("docs/b", "hello\n"));
    live.end();
    expect(terminal.text).toContain("each[docs/b] | hello");
  });

  it("stands above its members, and has no tick when it lost some", () => {
    const { terminal, live } = running();
    live.on(event("agent_completed", { ...item("a"), elapsed: 1, output: null }));
    live.on(event("agent_failed", { ...item("docs/b"), elapsed: 1, error_type: "E", kind: "a.b", message: "no" }));
    const ended = { group_name: "each", key: "each#1", success_count: 1, failure_count: 1, count: 2, elapsed: 1 };
    live.on(event("for_each_completed", { ...ended, failed: false }));
    live.end();
    expect(terminal.text).toEqual([
      "▸ w 01RUN",
      "▸ each  2 items, 2 at a time",
      "  ✗ each[docs/b]  a.b: no",
      "▲ each  1 of 2 items done, 1 failed in 1.0s",
    ]);
  });

  it("says nothing of its beginning when nothing stands under it", () => {
    const { terminal, live } = running();
    const ended = { group_name: "each", key: "each#1", success_count: 2, failure_count: 0, count: 2, elapsed: 1 };
    live.on(event("for_each_completed", { ...ended, failed: false }));
    live.end();
    expect(terminal.text).toEqual(["▸ w 01RUN", "✓ each  2 of 2 items done in 1.0s"]);
  });
});
