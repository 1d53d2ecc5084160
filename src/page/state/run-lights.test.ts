// The page lights a graph from the fold, the command line from the events: both must say the same.
import { describe, expect, it } from "vitest";
import { apply, initialState } from "../../events/fold.ts";
import { error, outline, Story } from "../../events/test-events.ts";
import { lightsOf } from "../../graph/lit.ts";
import { runLights } from "./run-lights.ts";

const plan = outline({ name: "all", type: "for_each", item: { name: "one", type: "script" } }, "done");

/** A for_each of two items, of which the second ends as given. */
function each(isLost: boolean): Story {
  const story = new Story().started(plan).begin("all", { key: "all#1", type: "for_each" });
  story.add("for_each_started", { group_name: "all", key: "all#1", item_count: 2, max_concurrent: 1 } as never);
  for (const index of [0, 1]) {
    const item = { group_name: "all", item_key: String(index), index };
    const options = { key: `all#1[${index}].one`, group: "all", item: String(index) };
    story.add("for_each_item_started", item);
    story.begin("one", options);
    if (index === 0 || !isLost) story.done("one", options).add("for_each_item_completed", { ...item, elapsed: 1 });
    else {
      const problem = error("one");
      story.fail("one", problem, options);
      story.add("for_each_item_failed", {
        ...item,
        elapsed: 1,
        error_type: "WorkflowError",
        message: "no",
        error: problem,
      } as never);
    }
  }
  const counts = { success_count: isLost ? 1 : 2, failure_count: isLost ? 1 : 0 };
  story.add("for_each_completed", { group_name: "all", key: "all#1", elapsed: 1, failed: false, ...counts } as never);
  return story.done("all", { key: "all#1", type: "for_each" });
}

describe.each([
  [true, "recovered"],
  [false, "completed"],
] as const)("a group with losses: %s", (isLost, expected) => {
  it(`is shown as ${expected}, as the command line shows it`, () => {
    const { events } = each(isLost);
    const state = events.reduce(apply, initialState("01RUN"));
    const lights = runLights({ seq: events.length, state, taken: new Map() }, new Map());
    expect(lights.nodes["all"]?.state).toBe(expected);
    expect(lightsOf(events).nodes["all"]?.state).toBe(expected);
  });
});
