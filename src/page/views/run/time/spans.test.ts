// In the timeline nothing goes on beyond the drive that it was part of.
import { expect, test } from "vitest";
import { outline, Story } from "../../../../events/test-events.ts";
import { VisitFold } from "../../../../events/visit-fold.ts";
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
  const [row] = timeRows(fold, last + 100_000, null, true);
  expect(row?.spans).toMatchObject([{ to: last, state: "failed", about: "attempt 1 cut off" }]);
});
