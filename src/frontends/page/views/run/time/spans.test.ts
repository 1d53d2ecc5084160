// In the timeline nothing goes on beyond the drive that it was part of.
import { expect, test } from "vitest";
import { error, outline, Story } from "../../../../../../test/support/engine/test-events.ts";
import { VisitFold } from "../../../../../base/events/visits/visit-fold.ts";
import { timeRows } from "./spans.ts";

test("a group that was left when its drive paused ends there, and a later drive that reuses it does not stretch it", () => {
  const plan = outline({ name: "all", type: "for_each", item: { name: "one", type: "script" } }, "ask");
  const story = new Story().started(plan).begin("all", { key: "all#1", type: "for_each" });
  story.add("run_paused", { reason: "ask waits for an answer" } as never);
  const paused = Date.parse(story.events.at(-1)?.ts ?? "");
  story.wait(60).add("run_resumed", { outline: plan, inputs: {} } as never);
  const fold = new VisitFold({ history: true });
  for (const event of story.events) fold.add(event);
  const [row] = timeRows(fold, paused + 100_000, null);
  expect(row?.spans).toMatchObject([{ drive: 1, to: paused, state: "waiting" }]);
});

test("what ran when the process went away was cut off, with the last that is known of it", () => {
  const story = new Story().started(outline("a")).begin("a");
  const last = Date.parse(story.events.at(-1)?.ts ?? "");
  const fold = new VisitFold({ history: true });
  for (const event of story.events) fold.add(event);
  const [row] = timeRows(fold, last + 100_000, null, last + 5000);
  expect(row?.spans).toMatchObject([{ to: last + 5000, state: "failed", about: "attempt 1 cut off" }]);
});

test("a bar is as the graph shows its step: handed to one that failed, completed without some", () => {
  const story = new Story().started(outline("a", "h")).begin("a").fail("a", error("a")).routed("a", "x", "to", "h");
  story.begin("h");
  const barOf = (told: Story) => {
    const fold = new VisitFold({ history: true });
    for (const event of told.events) fold.add(event);
    return timeRows(fold, Date.parse("2030-01-02T00:00:00Z"), null)[0]?.spans[0];
  };
  expect(barOf(story)).toMatchObject({ state: "recovered" });
  story.fail("h", error("h")).unhandled("h", error("h"));
  expect(barOf(story)).toMatchObject({ state: "failed" });
  const group = { key: "all#1", type: "for_each" };
  const each = new Story().started(outline("all")).begin("all", group);
  each.add("for_each_completed", { group_name: "all", failed: false, success_count: 1, failure_count: 1 } as never);
  expect(barOf(each.done("all", group))).toMatchObject({ state: "recovered", about: "attempt 1 completed without 1" });
});

test("a step of an item has the item's name, and stands below the item that it is part of", () => {
  const story = new Story().started(outline("all", "last")).begin("all", { key: "all#1", type: "for_each" });
  const items = ["a", "b"];
  for (const item of items) {
    const key = `all#1[${item}].one`;
    story.begin("one", { key, type: "workflow", group: "all", item });
    story.add("subworkflow_started", { agent_name: "one", key, slot: `all[${item}]` } as never);
  }
  for (const step of ["compile", "verify"])
    for (const item of items)
      story.within([`all[${item}]`], (inner) => inner.ran(step, { key: `all#1[${item}].one/${step}#1` }));
  story.begin("last");
  const fold = new VisitFold({ history: true });
  for (const event of story.events) fold.add(event);
  const shown = timeRows(fold, Date.parse("2030-01-02T00:00:00Z"), null).map(
    ({ step, items: inItems, depth }) => `${"-".repeat(depth)}${step.node} ${inItems.join("/")}`,
  );
  expect(shown).toEqual([
    "all ",
    "-one a",
    "--compile a",
    "--verify a",
    "-one b",
    "--compile b",
    "--verify b",
    "last ",
  ]);
});
