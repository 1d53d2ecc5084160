// A page that is given a state in the middle of a run sees in the end what one sees that heard everything.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { error, outline, Story } from "../../../../test/support/engine/test-events.ts";
import { itemKey } from "../key.ts";
import type { RunEvent } from "../registry.ts";
import { apply, initialState } from "./fold.ts";
import { packState, unpackState } from "./packed-state.ts";
import type { RunState } from "./state.ts";

const plan = outline(
  "fetch",
  { name: "each", type: "for_each", item: { name: "call", type: "workflow" } },
  {
    name: "both",
    type: "parallel",
    members: [
      { name: "left", type: "script" },
      { name: "right", type: "script" },
    ],
  },
  "ask",
);

/** A little of everything that a state holds: items with children, members, retries, gates, letters, usage, a resume. */
function eventful(): readonly RunEvent[] {
  const story = new Story().started(plan).begin("fetch").fail("fetch", error("fetch", "io.gone"));
  story.routed("fetch", "io.gone", "retry").retry("fetch").ran("fetch", { attempt: 2 });
  const started = { group_name: "each", key: "each#1", item_count: 2, max_concurrent: 2, item_keys: ["x", "y"] };
  story.add("for_each_started", started as never);
  for (const item of ["x", "y"]) {
    const key = `each#1[${item}].call`;
    story.add("for_each_item_started", { group_name: "each", item_key: item, index: item === "x" ? 0 : 1 } as never);
    story.begin("call", { key, type: "workflow", group: "each", item });
    const child = { agent_name: "call", key, slot: `each[${item}]`, outline: outline("inner"), item_key: item };
    story.add("subworkflow_started", { ...child, workflow: "child", file: "/work/child.yaml" } as never);
    story.within([`each[${item}]`], (inner) => inner.ran("inner", { key: `${key}/inner#1` }));
  }
  story.add("for_each_item_completed", { group_name: "each", item_key: "x", index: 0, elapsed: 1 } as never);
  const lost = { group_name: "each", item_key: "y", index: 1, elapsed: 1, error: error("call") };
  story.add("for_each_item_failed", lost as never);
  story.add("for_each_completed", {
    group_name: "each",
    key: "each#1",
    success_count: 1,
    failure_count: 1,
    elapsed: 1,
    failed: false,
  } as never);
  story.add("parallel_started", { group_name: "both", key: "both#1", agents: ["left", "right"], max_concurrent: 2 });
  story.begin("left", { key: "both#1.left", group: "both" }).begin("right", { key: "both#1.right", group: "both" });
  story.done("right", { key: "both#1.right", group: "both" });
  story.add("agent_usage", { agent_name: "left", purpose: "answer", model: "m", input_tokens: 3, cost_usd: null });
  story.add("dead_lettered", { node: "left", kind: "io.gone", letter: "L1" });
  story.add("circuit_opened", { breaker: "b", failures: 3, retry_after_seconds: 1 });
  story.begin("ask", { type: "human_gate" });
  story.add("gate_presented", { agent_name: "ask", key: "ask#1", prompt: "Go on?", options: [] });
  story.add("run_paused", { reason: "nobody", gate: {} });
  return story.resumed(plan, "paused").reused("fetch").ran("ask", { type: "human_gate" }).ended({ n: 1 }).events;
}

const folded = (events: readonly RunEvent[], state: RunState = initialState("01RUN")): RunState =>
  events.reduce(apply, state);

describe("a packed state", () => {
  const events = eventful();

  it.each(events.map(({ seq }) => seq))("after event %i goes on as if it had never been JSON", (seq) => {
    const text = JSON.stringify(packState(folded(events.slice(0, seq))));
    const state = unpackState(JSON.parse(text));
    expect(state).toEqual(folded(events.slice(0, seq)));
    expect(folded(events.slice(seq), state)).toEqual(folded(events));
  });

  it("holds what is shared once, so that items that call the same file are small", () => {
    const packed = packState(folded(events));
    expect(packed.outlines).toHaveLength(2);
    const state = unpackState(packed);
    const group = state.root.nodes.get("each")?.group;
    expect(group?.members.get("y")?.owner).toBe(group);
    expect(state.root.byKey.get("each#1[y].call")).toBe(group?.members.get("y"));
  });

  it.each([
    ["in order", ["0", "1", "2"], [0, 1, 2]],
    ["in another order", ["2", "0", "1"], [2, 0, 1]],
    ["under names of their own", ["a", "7", "b]"], [0, 1, 2]],
    ["whose numbers are not known yet", ["0", "1"], []],
  ])("has the items of a group that began %s", (_, items, indexes) => {
    const story = new Story().started(plan);
    const each = { group_name: "each", key: "each#1", item_count: items.length, max_concurrent: 2 };
    story.add("for_each_started", each as never);
    for (const [place, item] of items.entries()) {
      const index = indexes[place];
      if (index !== undefined)
        story.add("for_each_item_started", { group_name: "each", item_key: item, index } as never);
      story.begin("call", { key: itemKey("each#1", 1, item, "call"), group: "each", item });
    }
    const state = folded(story.events);
    expect(unpackState(JSON.parse(JSON.stringify(packState(state))))).toEqual(state);
  });

  it("of twenty thousand items is small on the wire", () => {
    const story = new Story().started(plan);
    const each = { group_name: "each", key: "each#1", item_count: 20_000, max_concurrent: 2 };
    story.add("for_each_started", each as never);
    for (let index = 0; index < 20_000; index++) {
      const item = `${index}`;
      const hash = `sha256:${createHash("sha256").update(item).digest("hex")}`;
      story.add("for_each_item_started", { group_name: "each", item_key: item, index } as never);
      story.ran("call", { key: itemKey("each#1", 1, item, "call"), group: "each", item, hash, elapsed: index / 7 });
    }
    const text = JSON.stringify(packState(folded(story.events)));
    // What else an answer about a run holds has room beside it, of the 200 KB that it may be.
    expect(gzipSync(text, { level: 5 }).length).toBeLessThan(180 * 1024);
  });
});
