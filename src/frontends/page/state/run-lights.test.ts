// The page lights a graph from the fold, the command line from the events: both must say the same.
import { describe, expect, it } from "vitest";
import { error, outline, Story } from "../../../../test/support/engine/test-events.ts";
import { apply, initialState } from "../../../base/events/state/fold.ts";
import { cutOff } from "../../../base/events/state/read.ts";
import { applyTaken, type TakenRoutes } from "../../../base/events/taken-routes.ts";
import { lightsOf } from "../../../graph/lit.ts";
import { lightAt, runLights } from "./run-lights.ts";

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
    const word = isLost ? "completed without 1" : null;
    expect(lights.nodes["all"]).toMatchObject({ state: expected, word });
    expect(lightsOf(events).nodes["all"]).toMatchObject({ state: expected, word });
  });
});

it("lights the chosen option of a gate, and not its neighbour that leads to the same step", () => {
  const story = new Story().started(outline("gate", "next"));
  story.begin("gate", { key: "gate#1", type: "human_gate" }).done("gate", { key: "gate#1", type: "human_gate" });
  story.add("route_taken", { from_agent: "gate", to_agent: "next", route: null, option: 1 });
  story.begin("next", { key: "next#1" });
  const taken: TakenRoutes = new Map();
  for (const event of story.events) applyTaken(taken, event);
  const state = story.events.reduce(apply, initialState("01RUN"));
  for (const lights of [runLights({ seq: 9, state, taken }, new Map()), lightsOf(story.events)]) {
    expect(lights.taken).toContain("gate by answer 1 next");
    expect(lights.taken).not.toContain("gate by answer 0 next");
  }
});

it("leaves dark what a resume has not come to again, with what is inside it and the way there", () => {
  const child = outline("push");
  const story = new Story().started(outline("gate", { name: "publish", type: "workflow" } as never));
  story.begin("gate", { key: "gate#1", type: "human_gate" }).done("gate", { key: "gate#1", type: "human_gate" });
  story.add("route_taken", { from_agent: "gate", to_agent: "publish", route: null });
  story.begin("publish", { key: "publish#1", type: "workflow" });
  story.add("subworkflow_started", {
    agent_name: "publish",
    key: "publish#1",
    slot: "publish",
    name: "publish",
    file: "publish.yaml",
    inputs: {},
    outline: child,
  } as never);
  story.add("workflow_failed", { error_type: "WorkflowError", message: "no" } as never);
  const failed = story.events.length;
  story.add("run_resumed", {
    outline: outline("gate", { name: "publish", type: "workflow" } as never),
    inputs: {},
  } as never);
  story.begin("gate", { key: "gate#1", type: "human_gate" });
  const { events } = story;
  const lightsAt = (until: number) => {
    const seen = events.slice(0, until);
    const taken: TakenRoutes = new Map();
    for (const event of seen) applyTaken(taken, event);
    const state = seen.reduce(apply, initialState("01RUN"));
    return [runLights({ seq: until, state, taken }, new Map()), lightsOf(seen)];
  };
  for (const { nodes, taken } of lightsAt(failed)) {
    expect(nodes["publish"]).toBeDefined();
    expect(taken).toContain("gate by answer publish");
  }
  const state = events.reduce(apply, initialState("01RUN"));
  expect(lightAt({ state }, { path: [], node: "publish" }, null)?.state).toBe("pending");
  expect(lightAt({ state }, { path: [], node: "gate" }, null)).toMatchObject({ state: "waiting", key: "gate#1" });
  for (const { nodes, taken } of lightsAt(events.length)) {
    expect(Object.keys(nodes)).toEqual(["gate"]);
    expect(taken).toEqual(["gate entered"]);
  }
});

it("shows what ran when the process went away as cut off", () => {
  const { events } = new Story().started(outline("a", "b")).ran("a").begin("b");
  const state = cutOff(events.reduce(apply, initialState("01RUN")));
  for (const { nodes } of [
    runLights({ seq: 9, state, taken: new Map() }, new Map()),
    lightsOf(events, { isCutOff: true }),
  ]) {
    expect(nodes["a"]).toMatchObject({ state: "completed", word: null });
    expect(nodes["b"]).toMatchObject({ state: "failed", word: "cut off" });
  }
});

/** `a` raises, and a route hands its error to `h`, which then does as it is told. */
const handed = (tell: (story: Story) => Story) =>
  tell(
    new Story()
      .started(outline("a", "h", "last"))
      .begin("a")
      .fail("a", error("a"))
      .routed("a", "x", "to", "h")
      .begin("h"),
  );
const recovered = (by: string, node = "a") => ({ node, kind: "x", by, error: error(node) });

it.each<[string, (story: Story) => Story, object]>([
  ["goes on", (story) => story, { state: "recovered", word: null }],
  ["got to its end", (story) => story.done("h").add("error_recovered", recovered("h")), { state: "recovered" }],
  [
    "got to its end, before something else failed",
    (story) =>
      story
        .done("h")
        .add("error_recovered", recovered("h"))
        .begin("last")
        .fail("last", error("last"))
        .unhandled("last", error("last")),
    { state: "recovered" },
  ],
  [
    "failed",
    (story) => story.fail("h", error("h")).unhandled("h", error("h")),
    { state: "failed", word: "failed, handed to h" },
  ],
  [
    "raised, and was handled itself, before something else failed",
    (story) =>
      story
        .fail("h", error("h"))
        .routed("h", "x", "to", "last")
        .ran("last")
        .add("error_recovered", recovered("last", "h"))
        .unhandled("later", error("later")),
    { state: "recovered" },
  ],
  [
    "ended the workflow, as a terminate step does",
    (story) =>
      story
        .done("h", { type: "terminate", more: { is_explicit: true } })
        .stopped("WorkflowTerminated", "no", "h", { is_explicit: true, status: "failed" }),
    { state: "recovered" },
  ],
])("calls a step recovered only if the one that its error was handed to did its work: it %s", (_, tell, expected) => {
  const { events } = handed(tell);
  const state = events.reduce(apply, initialState("01RUN"));
  expect(runLights({ seq: 99, state, taken: new Map() }, new Map()).nodes["a"]).toMatchObject(expected);
  expect(lightsOf(events).nodes["a"]).toMatchObject(expected);
});

it.each<[string, (story: Story) => Story, number]>([
  ["tried again after an error", (story) => story.ran("a", { attempt: 2 }), 1],
  [
    "run again by a further drive",
    (story) =>
      story
        .fail("a", error("a"), { attempt: 2 })
        .unhandled("a", error("a"))
        .resumed(outline("a"))
        .ran("a", { attempt: 3 }),
    0,
  ],
  ["reused by a further drive", (story) => story.ran("a", { attempt: 2 }).resumed(outline("a")).reused("a"), 1],
])("counts how often a step was tried again, not how often it was driven: %s", (_, tell, retries) => {
  const begun = new Story().started(outline("a")).begin("a").fail("a", error("a")).routed("a", "x", "retry").retry("a");
  const { events } = tell(begun);
  const state = events.reduce(apply, initialState("01RUN"));
  expect(runLights({ seq: 99, state, taken: new Map() }, new Map()).nodes["a"]?.retries).toBe(retries);
  expect(lightsOf(events).nodes["a"]?.retries).toBe(retries);
});
