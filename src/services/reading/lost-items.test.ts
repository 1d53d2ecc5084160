// What a run went on without: every item counts, and every one can be got back, however many there are.
import { expect, it } from "vitest";
import { error, outline, Story } from "../../../test/support/engine/test-events.ts";
import { apply, initialState } from "../../base/events/state/fold.ts";
import { packState, unpackState } from "../../base/events/state/packed-state.ts";
import { standingOf } from "../../frontends/server/views/snapshot.ts";
import { lostPlaces } from "./lost-items.ts";

const ITEMS = 10_050;

it("is all of the items of a very long for_each that lost them all", () => {
  const story = new Story().started(outline({ name: "each", type: "for_each", item: { name: "w", type: "script" } }));
  story.add("for_each_started", { group_name: "each", key: "each#1", item_count: ITEMS, max_concurrent: 5 } as never);
  for (let index = 0; index < ITEMS; index++) {
    const [item, group] = [String(index), "each"];
    story.add("for_each_item_started", { group_name: group, item_key: item, index });
    story.begin("w", { key: `each#1[${item}].w`, group, item });
    story.add("for_each_item_failed", {
      group_name: group,
      item_key: item,
      index,
      elapsed: 1,
      error_type: "WorkflowError",
      message: "no",
      error: error("w", "item.bad"),
    } as never);
  }
  story.add("for_each_completed", { group_name: "each", elapsed: 1, failed: false, counts: {} } as never);
  story.done("each", { type: "for_each" }).ended({}, { degraded: true });
  const state = unpackState(packState(story.events.reduce(apply, initialState("01RUN"))));
  expect(standingOf(state, false).lost).toBe(ITEMS);
  expect(lostPlaces(state).size).toBe(ITEMS);
});
