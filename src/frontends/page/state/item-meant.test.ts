// A step of a for_each that is chosen without an item is shown as the graph shows it: what failed before what went well.
import { expect, it } from "vitest";
import { error, outline, Story } from "../../../../test/support/engine/test-events.ts";
import { apply, initialState } from "../../../base/events/state/fold.ts";
import { itemMeant } from "./run-lights.ts";

const plan = outline({ name: "all", type: "for_each", item: { name: "one", type: "script" } }, "zero", "done");

/** Items end as told: `lost`, `zero` where that step ran in the item's place, `ok`. */
function after(ends: readonly ("ok" | "lost" | "zero")[]) {
  const story = new Story().started(plan).begin("all", { key: "all#1", type: "for_each" });
  story.add("for_each_started", { group_name: "all", key: "all#1", item_count: 5, max_concurrent: 1 } as never);
  for (const [index, end] of ends.entries()) {
    const item = { group_name: "all", item_key: String(index), index };
    const options = { key: `all#1[${index}].one`, group: "all", item: String(index) };
    story.add("for_each_item_started", item).begin("one", options);
    if (end === "ok") story.done("one", options);
    else story.fail("one", error("one"), options);
    if (end === "zero") story.ran("zero", { ...options, key: `${options.key}.zero` });
    if (end === "lost") story.add("for_each_item_failed", { ...item, elapsed: 1, error: error("one") });
    else story.add("for_each_item_completed", { ...item, elapsed: 1 });
  }
  const state = initialState("01RUN");
  for (const event of story.events) apply(state, event);
  return { state };
}

it.each([
  [["ok", "lost", "ok", "lost", "ok"], "1"],
  [["ok", "ok", "ok"], "2"],
] as const)("of %j the item %s", (ends, item) => {
  expect(itemMeant(after(ends), { path: [], node: "one" })).toBe(item);
});

it("of what ran in an item's place one that came there", () => {
  expect(itemMeant(after(["ok", "lost", "zero", "ok"]), { path: [], node: "zero" })).toBe("2");
});

it("is none where the step runs in no item", () => {
  const moment = after(["ok", "lost"]);
  expect(itemMeant(moment, { path: [], node: "all" })).toBe(null);
  expect(itemMeant(moment, { path: [], node: "done" })).toBe(null);
  expect(itemMeant(moment, { path: ["elsewhere"], node: "one" })).toBe(null);
});
